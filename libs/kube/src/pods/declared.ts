import {
  err,
  ID_LENGTH_MAX,
  isId,
  isPort,
  ok,
  type PoolId,
  parseSandboxName,
  parseWorkspaceId,
  type Result,
  type SandboxName,
  type WorkspaceId,
} from '@sallyport/model';
import { sha256hex } from '@sallyport/process';
import { readServices } from './declared-services.ts';
import type { Pod } from './pod.ts';
import type { DeclaredService } from './workload.ts';

/** What a Pod is to us, by its own labels and annotations. */
export type Role =
  | { readonly kind: 'none' }
  | { readonly kind: 'workload'; readonly declared: Declared }
  /** It supervises: any sandbox of a pool, or one. */
  | { readonly kind: 'supervisor'; readonly poolId: PoolId; readonly sandbox: SandboxRef | undefined }
  /** It wants to be something, but one cannot tell what. */
  | { readonly kind: 'unusable'; readonly problem: string };

export interface SandboxRef {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
}

export interface Declared extends SandboxRef {
  readonly mode: 'dedicated' | 'shared' | undefined;
  readonly poolId: PoolId | undefined;
  readonly services: readonly DeclaredService[];
  /** Where in the Pod its boundary process listens; for supervisors in other Pods. */
  readonly boundaryPort: number | undefined;
  /** What of it is not followed, and why; empty: all is. */
  readonly problem: string;
}

export interface RoleOptions {
  /** A workspace is a namespace: no Pod can declare into another one's. */
  readonly workspaceIsNamespace: boolean;
}

/**
 * `workspace`, `sandbox`, `mode`, `pool`, `boundary`, `supervises`, each as a label or an annotation; `services` and the policies as
 * annotations. A Pod with a sandbox of its own is a workload, whatever pool it names: it says who shall serve it. One without
 * is a supervisor if it names a pool, or the one sandbox that it supervises.
 */
export function roleOf(pod: Pod, { workspaceIsNamespace }: RoleOptions): Role {
  const at = (name: string): string | undefined => pod.labels[name] ?? pod.annotations[name];
  const torn = ['workspace', 'sandbox', 'mode', 'pool', 'supervises'].find(
    (name) => pod.labels[name] !== undefined && pod.annotations[name] !== undefined && pod.labels[name] !== pod.annotations[name],
  );
  if (torn !== undefined) return unusable(`label and annotation sallyport.dev/${torn} say different things`);
  const isWorkload = at('sandbox') !== undefined || at('workspace') !== undefined || at('services') !== undefined;
  if (!isWorkload) return supervisorRole(at('pool'), at('supervises'));
  if (at('supervises') !== undefined) return unusable('sallyport.dev/supervises is for supervisors, and this Pod is a workload');

  const stated = at('workspace');
  if (workspaceIsNamespace && stated !== undefined && stated !== pod.namespace)
    return unusable(`sallyport.dev/workspace is ${quote(stated)}, and here a Pod's workspace is its namespace, ${pod.namespace}`);
  const workspace = workspaceIsNamespace ? pod.namespace : stated;
  const ref = refOf(workspace, at('sandbox') ?? pod.sandboxOwner);
  if (!ref.ok) return unusable(ref.error);
  const placed = placeOf(at('mode'), at('pool'), at('boundary'));
  const services = readServices(pod.annotations);
  if (!placed.ok)
    return {
      kind: 'workload',
      declared: { ...ref.value, ...NOWHERE, services: [], problem: placed.error },
    };
  return { kind: 'workload', declared: { ...ref.value, ...placed.value, ...services } };
}

/**
 * The pool that a sandbox's own supervisor proves itself for. It follows from the names, so that a manifest can state it; the
 * two longest of names together are longer than an id, and there a digest stands for the rest.
 */
export function dedicatedPool({ workspace, sandbox }: SandboxRef): PoolId {
  const whole = `dedicated:${workspace}:${sandbox}`;
  if (whole.length <= ID_LENGTH_MAX) return whole as PoolId;
  return `${whole.slice(0, ID_LENGTH_MAX - DIGEST_LENGTH - 1)}:${sha256hex(whole).slice(0, DIGEST_LENGTH)}` as PoolId;
}

const DIGEST_LENGTH = 16;

function supervisorRole(pool: string | undefined, supervises: string | undefined): Role {
  if (pool === undefined && supervises === undefined) return { kind: 'none' };
  if (pool !== undefined && supervises !== undefined)
    return unusable('sallyport.dev/pool and sallyport.dev/supervises exclude each other');
  if (pool !== undefined) {
    if (pool.startsWith('dedicated:')) return unusable('sallyport.dev/pool: dedicated:… is for supervisors of one sandbox');
    return isId(pool)
      ? { kind: 'supervisor', poolId: pool as PoolId, sandbox: undefined }
      : unusable(`sallyport.dev/pool ${quote(pool)} is no pool id`);
  }
  // A label value holds no slash, so "team.demo" is as good as "team/demo": names hold no dot.
  const parts = (supervises ?? '').split(/[/.]/);
  const ref = parts.length === 2 ? refOf(parts[0], parts[1]) : err(`${quote(supervises ?? '')} is not workspace/sandbox`);
  if (!ref.ok) return unusable(`sallyport.dev/supervises: ${ref.error}`);
  return { kind: 'supervisor', poolId: dedicatedPool(ref.value), sandbox: ref.value };
}

function refOf(workspaceText: string | undefined, sandboxText: string | undefined): Result<SandboxRef, string> {
  if (workspaceText === undefined) return err('sallyport.dev/workspace is missing');
  if (sandboxText === undefined) return err('sallyport.dev/sandbox is missing, and no Sandbox owns this Pod');
  const workspace = parseWorkspaceId(workspaceText);
  if (!workspace.ok) return workspace;
  const sandbox = parseSandboxName(sandboxText);
  if (!sandbox.ok) return sandbox;
  return ok({ workspace: workspace.value, sandbox: sandbox.value });
}

type Place = Pick<Declared, 'mode' | 'poolId' | 'boundaryPort'>;
const NOWHERE: Place = { mode: undefined, poolId: undefined, boundaryPort: undefined };

function placeOf(mode: string | undefined, pool: string | undefined, boundary: string | undefined): Result<Place, string> {
  if (mode !== undefined && mode !== 'dedicated' && mode !== 'shared')
    return err(`sallyport.dev/mode ${quote(mode)} is neither dedicated nor shared`);
  const boundaryPort = boundary === undefined ? undefined : Number(boundary);
  if (boundary !== undefined && !(/^\d{1,5}$/.test(boundary) && isPort(Number(boundary))))
    return err(`sallyport.dev/boundary ${quote(boundary)} is no port`);
  if (pool === undefined) return ok({ mode, poolId: undefined, boundaryPort });
  if (mode === 'dedicated') return err('sallyport.dev/pool: a dedicated sandbox has a pool of its own');
  if (!isId(pool) || pool.startsWith('dedicated:')) return err(`sallyport.dev/pool ${quote(pool)} is no id of a shared pool`);
  return ok({ mode: 'shared', poolId: pool as PoolId, boundaryPort });
}

const unusable = (problem: string): Role => ({ kind: 'unusable', problem });
const quote = (text: string): string => JSON.stringify(text.slice(0, 80));
