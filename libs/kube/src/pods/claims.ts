import type { RuntimeId } from '@sallyport/model';
import { UNPLACED_HOST } from '@sallyport/wire';
import type { Change } from '../api/cache.ts';
import { type Declared, dedicatedPool, type SandboxRef } from './declared.ts';
import { choose, type Family } from './endpoint.ts';
import { type Pod, podName } from './pod.ts';
import type { PodIndex } from './pod-index.ts';
import type { Workload, WorkloadChange } from './workload.ts';

/**
 * Which Pod is which sandbox now. A name belongs to the one live Pod that declares it; while several do it belongs to none of
 * them, because whichever we chose could be the intruder. A Pod that is going away keeps its name until another one lives.
 */
export interface Claims {
  /** Call after the index has taken the same changes. */
  apply(changes: readonly Change<Pod>[]): readonly WorkloadChange[];
  get(ref: SandboxRef): Workload | undefined;
  list(): readonly Workload[];
  /** Whether this Pod is the one life that the name has now. */
  isPresent(ref: SandboxRef, uid: string): boolean;
  /** UIDs of the Pods that declare this name now: those that have done so for longest, at most so many. */
  claimants(ref: SandboxRef, max: number): readonly string[];
  /** For the Pod's owner: what of its declarations is not followed. */
  problemOf(uid: string): string;
}

/** Pods named in one message. */
const NAMED_MAX = 4;

export function createClaims(index: PodIndex, prefer: Family): Claims {
  const claimants = new Map<string, Set<string>>();
  const named = new Map<string, string>();
  const workloads = new Map<string, Workload>();

  function note(uid: string): readonly string[] {
    const role = index.role(uid);
    const after = role.kind === 'workload' ? nameOf(role.declared) : undefined;
    const before = named.get(uid);
    if (before !== undefined && before !== after) {
      claimants.get(before)?.delete(uid);
      if (claimants.get(before)?.size === 0) claimants.delete(before);
    }
    if (after === undefined) named.delete(uid);
    else {
      named.set(uid, after);
      claimants.set(after, (claimants.get(after) ?? new Set()).add(uid));
    }
    return [before, after].filter((name) => name !== undefined);
  }

  function settle(name: string): readonly WorkloadChange[] {
    const before = workloads.get(name);
    const after = workloadOf([...(claimants.get(name) ?? [])], index, prefer);
    if (after === undefined) {
      workloads.delete(name);
      return before === undefined ? [] : [{ kind: 'removed', workload: before }];
    }
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(after)) return [];
    workloads.set(name, after);
    return [{ kind: 'upserted', workload: after }];
  }

  return {
    apply(changes) {
      const names = new Set(changes.flatMap(({ item }) => note(item.uid)));
      return [...names].flatMap(settle);
    },
    get: (ref) => workloads.get(nameOf(ref)),
    list: () => [...workloads.values()],
    isPresent: (ref, uid) => workloads.get(nameOf(ref))?.runtimeId === uid,
    claimants(ref, max) {
      const first: string[] = [];
      for (const uid of claimants.get(nameOf(ref)) ?? []) if (first.push(uid) === max) break;
      return first;
    },
    problemOf(uid) {
      const role = index.role(uid);
      if (role.kind === 'unusable') return role.problem;
      if (role.kind !== 'workload') return '';
      const workload = workloads.get(nameOf(role.declared));
      // Who goes away anyway need not hear about it.
      if (index.pod(uid)?.deleting === true || index.pod(uid)?.terminal === true) return role.declared.problem;
      return workload === undefined || workload.runtimeId === uid ? role.declared.problem : (workload.problem ?? '');
    },
  };
}

const nameOf = ({ workspace, sandbox }: SandboxRef): string => `${workspace}/${sandbox}`;

/** Pure: what the Pods that declare one name make of it together. */
export function workloadOf(uids: readonly string[], index: Pick<PodIndex, 'pod' | 'role'>, prefer: Family): Workload | undefined {
  const claims = uids.flatMap((uid) => {
    const pod = index.pod(uid);
    const role = index.role(uid);
    return pod === undefined || pod.terminal || role.kind !== 'workload' ? [] : [{ pod, declared: role.declared }];
  });
  const live = claims.filter(({ pod }) => !pod.deleting);
  const deciding = live.length > 0 ? live : claims;
  const [only] = deciding;
  if (only === undefined) return undefined;
  if (deciding.length > 1) return contested(deciding);
  const { workspace, sandbox, mode, poolId, services, boundaryPort, problem } = only.declared;
  const { hostNetwork, ips } = only.pod;
  return {
    workspace,
    sandbox,
    runtimeId: only.pod.uid as RuntimeId,
    ready: only.pod.ready && !only.pod.deleting,
    services,
    mode,
    poolId,
    dedicatedPoolId: dedicatedPool(only.declared),
    problem,
    // Without an address yet it has a boundary all the same: whether it has one must not change within its life.
    ...(boundaryPort === undefined || hostNetwork ? {} : { boundaryAddress: `${hostIn(choose(ips, prefer))}:${boundaryPort}` }),
  };
}

const hostIn = (address: string | undefined): string => {
  if (address === undefined) return UNPLACED_HOST;
  return address.includes(':') ? `[${address}]` : address;
};

function contested(claims: readonly { readonly pod: Pod; readonly declared: Declared }[]): Workload {
  const { workspace, sandbox } = (claims[0] as (typeof claims)[number]).declared;
  const names = claims.map(({ pod }) => podName(pod)).sort();
  const shown = names.slice(0, NAMED_MAX).join(', ') + (names.length > NAMED_MAX ? ', …' : '');
  return {
    workspace,
    sandbox,
    runtimeId: undefined,
    ready: false,
    services: [],
    mode: undefined,
    poolId: undefined,
    dedicatedPoolId: dedicatedPool({ workspace, sandbox }),
    problem: `${claims.length} Pods claim ${workspace}/${sandbox}, so it is served for none of them: ${shown}`,
  };
}
