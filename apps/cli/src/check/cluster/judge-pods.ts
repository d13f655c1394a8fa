import {
  type Change,
  createClaims,
  createPodIndex,
  createSliceIndex,
  listOf,
  metaOf,
  objectOf,
  type Pod,
  podName,
  poolOf,
  readPod,
  readSlice,
  resolveEndpoint,
  textOf,
} from '@sallyport/kube';
import { type Finding, fails, holds } from '../finding.ts';
import type { DriverSettings } from './driver-settings.ts';

/** Lines about single Pods; those that fail come first. */
export const PODS_SHOWN_MAX = 40;

export interface PodsSeen {
  readonly pods: readonly unknown[];
  readonly slices: readonly unknown[];
}

/**
 * Pure: what each Pod with labels of ours is, and whether it would be reached, by the driver's own rules for reading Pods; all of
 * them at once, since a name or an address may be claimed by two.
 */
export function judgePods({ pods, slices }: PodsSeen, settings: DriverSettings): readonly Finding[] {
  const read = pods.flatMap((object) => {
    const pod = readPod(object);
    return pod === undefined ? [] : [{ pod, object }];
  });
  const index = createPodIndex(settings);
  const claims = createClaims(index, settings.prefer);
  const sliceIndex = createSliceIndex();
  const put = <T>(item: T): Change<T> => ({ kind: 'put', item, before: undefined });
  const changes = read.map(({ pod }) => put(pod));
  index.apply(changes);
  claims.apply(changes);
  sliceIndex.apply(slices.flatMap((object) => readSlice(object) ?? []).map(put));

  function supervisor(pod: Pod, object: unknown): string {
    const account = `${pod.namespace}/${pod.serviceAccount}`;
    if (!settings.accounts.includes(account)) return `!runs as ${account}, which is no account of supervisors`;
    const pool = poolOf(pod, index, claims, settings);
    if (!pool.ok) return `!${pool.error}`;
    const port = appPortOf(object);
    if (port === 0) return `supervisor of pool ${pool.value}, its application listener is off`;
    const { service } = pod.annotations;
    const slice =
      service === undefined
        ? undefined
        : settings.endpointSlices
          ? sliceIndex.find(pod.namespace, service, pod.uid)
          : { kind: 'nowhere' as const, why: 'sallyport.dev/service needs a driver with --endpoint-slices' };
    const view = { ageMs: 0, pod, pool, usersOf: index.usersOf, slice };
    const asked = { poolId: pool.value, supervisorUid: pod.uid, appPort: port };
    const found = resolveEndpoint(view, asked, settings.prefer);
    if (!found.ok) return `!supervisor of pool ${pool.value}: ${found.error.message}`;
    return `supervisor of pool ${pool.value}, reached at ${hostPort(found.value.address, found.value.port)}`;
  }

  /** A reason why not begins with `!`. Undefined: it is nothing to us, or goes away. */
  function verdict(pod: Pod, object: unknown): string | undefined {
    const role = index.role(pod.uid);
    if (role.kind === 'none' || pod.terminal || pod.deleting) return undefined;
    if (role.kind === 'unusable') return `!${role.problem}`;
    if (role.kind === 'supervisor') return supervisor(pod, object);
    const { workspace, sandbox, mode, services, boundaryPort } = role.declared;
    const problem = claims.problemOf(pod.uid);
    const name = `sandbox ${workspace}/${sandbox}`;
    if (problem !== '') return `!${name}: ${problem}`;
    if (!pod.ready) return `!${name}: the Pod is not ready`;
    const served = services.map(({ service, port }) => `${service === '' ? '(unnamed)' : service}=${port}`).join(', ');
    const through = boundaryPort === undefined ? '' : `, boundary at ${hostPort(pod.ips[0] ?? '', boundaryPort)}`;
    const what = `${name}: ${served === '' ? 'declares no service' : served}${through}`;
    if (mode !== 'dedicated' || !settings.sidecars || boundaryPort !== undefined) return what;
    const own = supervisor(pod, object);
    return own.startsWith('!') ? `!${name}: ${own.slice(1)}` : `${what}; ${own}`;
  }

  const judged = read.flatMap(({ pod, object }) => {
    const said = verdict(pod, object);
    return said === undefined ? [] : [{ name: podName(pod), said, role: index.role(pod.uid).kind }];
  });
  return summed(judged);
}

interface JudgedPod {
  readonly name: string;
  readonly said: string;
  readonly role: string;
}

function summed(judged: readonly JudgedPod[]): readonly Finding[] {
  const count = (role: string): number => judged.filter((each) => each.role === role).length;
  const wrong = judged.filter(({ said }) => said.startsWith('!'));
  const shown = [...wrong, ...judged.filter(({ said }) => !said.startsWith('!'))].slice(0, PODS_SHOWN_MAX);
  const more = judged.length > shown.length ? `; ${judged.length - shown.length} of them are not shown` : '';
  const sum = `${judged.length} with labels or annotations of ours: sandboxes ${count('workload')}, supervisors ${count('supervisor')}, neither ${count('unusable')}${more}`;
  return [
    holds('pods', sum),
    ...shown.map(({ name, said }) =>
      said.startsWith('!') ? fails(`pod ${name}`, said.slice(1), nextFor(said)) : holds(`pod ${name}`, said),
    ),
  ];
}

function nextFor(said: string): string {
  if (said.includes('no account of supervisors'))
    return 'run it as the account of supervisors, or name its own in workloads.sidecarAccounts';
  if (said.includes('not ready') || said.includes('has no address')) return 'look at it: kubectl describe pod';
  return 'mend its labels and annotations: docs/kubernetes.md, "What a Pod may say"';
}

/** 0: off. The port that is in its own arguments; what says nothing of it is taken to have the chart's. */
function appPortOf(object: unknown): number {
  const given = listOf(objectOf(objectOf(object).spec).containers).flatMap((container) =>
    listOf(objectOf(container).args).map(textOf),
  );
  const listen = given.find((argument) => argument.startsWith('--app-listen='));
  if (listen !== undefined) return Number(/:(\d{1,5})$/.exec(listen)?.[1] ?? 0);
  return given.some((argument) => argument.startsWith('--pool=')) ? 0 : CHART_APP_PORT;
}

const CHART_APP_PORT = 8443;
const hostPort = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);

/** Pods that say that they are sandboxes where no driver looks, as `namespace/name`. */
export function unobserved(pods: readonly unknown[], { namespaces }: DriverSettings): readonly string[] {
  if (namespaces.length === 0) return [];
  return pods.flatMap((object) => {
    const meta = metaOf(object);
    return meta === undefined || namespaces.includes(meta.namespace) ? [] : [podName(meta)];
  });
}
