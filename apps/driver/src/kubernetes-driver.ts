import {
  type Claims,
  createClaims,
  createPodIndex,
  createSliceIndex,
  type EndpointView,
  type FollowedAll,
  followNamespaces,
  type KubeClient,
  type Pod,
  poolOf,
  readPod,
  readSlice,
  resolveEndpoint,
  type Slice,
  STALE_MS,
} from '@sallyport/kube';
import { err, failure, fenced, ok } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import type { Driver, LivingWorkload, Supervisor, WorkloadEvent } from './driver.ts';
import { checkSelf } from './kube-self-check.ts';
import type { KubernetesOptions } from './kubernetes-options.ts';
import { createLiveLook } from './live-look.ts';
import { createPodEvents } from './pod-events.ts';
import { proveSupervisor } from './supervisor-proof.ts';
import { createTokenReview } from './token-review.ts';

export interface KubernetesDriver extends Driver {
  readonly pods: Pick<FollowedAll<Pod>, 'complete' | 'ageMs' | 'counts'>;
  readonly claims: Pick<Claims, 'list'>;
  podCount(): number;
  stop(): void;
}

export interface KubernetesGiven {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly unixMs: () => number;
  /** Names this process in Events. */
  readonly instance: string;
}

/** How often the age of the Pods is looked at for those who watch; milliseconds. */
const AGE_EACH_MS = 1_000;
const RIVALS_TOLD_MAX = 16;
const SLICES_API = '/apis/discovery.k8s.io/v1';

/** Workloads and supervisors as a Kubernetes API server shows them. */
export function createKubernetesDriver(options: KubernetesOptions, given: KubernetesGiven): KubernetesDriver {
  const { client, clock, log, random } = given;
  const { namespaces, checkEveryMs } = options;
  const index = createPodIndex(options);
  const claims = createClaims(index, options.prefer);
  const slices = createSliceIndex();
  const watchers = new Set<(event: WorkloadEvent) => void>();
  const waiting = new Set<(event: WorkloadEvent) => void>();

  const followed = {
    namespaces,
    clock,
    random,
    client,
    checkEveryMs,
    onSay: (path: string, what: string) => log.warn({ path, what }, 'following the API server'),
    onChecked: (path: string, { missing, behind, extra }: { missing: number; behind: number; extra: number }) => {
      if (missing + behind + extra > 0)
        log.error({ path, missing, behind, extra }, 'the watch had lost changes: mended by a list');
    },
  };
  const pods = followNamespaces<Pod>({ ...followed, api: '/api/v1', resource: 'pods', read: readPod });
  const slicesFollowed = options.endpointSlices
    ? followNamespaces<Slice>({ ...followed, api: SLICES_API, resource: 'endpointslices', read: readSlice })
    : undefined;
  slicesFollowed?.onChange((changes) => slices.apply(changes));

  const review = createTokenReview(client, { audience: options.audience, clock, nowMs: given.unixMs });
  const look = createLiveLook(client, clock);
  const events = createPodEvents({
    client,
    clock,
    log,
    timestamp: () => new Date(given.unixMs()).toISOString().replace(/\.\d+Z$/, 'Z'),
    instance: given.instance,
  });

  const isStale = (): boolean => (pods.ageMs() ?? 0) > STALE_MS;
  const notSeen = () => err(failure('not-ready', 'the driver has not seen the Pods yet'));

  pods.onChange((changes) => {
    index.apply(changes);
    const told = claims.apply(changes);
    // Who claims a name with others is told as well, though it did not change itself: the first of them, for a template that gives
    // thousands of Pods one name must not cost thousands of looks for each of their changes.
    const rivals = told.flatMap((event) => ('workload' in event ? claims.claimants(event.workload, RIVALS_TOLD_MAX) : []));
    for (const uid of new Set([...changes.map(({ item }) => item.uid), ...rivals]))
      events.report(uid, index.pod(uid), claims.problemOf(uid));
    for (const event of told) for (const watcher of [...watchers]) watcher(event);
    begin();
  });
  // An empty world changes nothing, and is complete all the same.
  const cancelAge = clock.every(AGE_EACH_MS, () => {
    begin();
    if (watchers.size === 0 || !isStale()) return;
    const lost: WorkloadEvent = { kind: 'lost', why: 'the driver has lost sight of the Pods' };
    for (const watcher of [...watchers]) {
      watchers.delete(watcher);
      watcher(lost);
    }
  });

  /** Nobody hears `synced` before every namespace has been listed. */
  function begin(): void {
    if (!pods.complete() || isStale()) return;
    for (const watcher of [...waiting]) {
      waiting.delete(watcher);
      for (const workload of claims.list()) watcher({ kind: 'upserted', workload });
      watcher({ kind: 'synced' });
      watchers.add(watcher);
    }
  }

  function viewOf(uid: string): EndpointView {
    const pod = index.pod(uid);
    const service = pod?.annotations.service;
    const ages = [pods.ageMs(), ...(service === undefined || slicesFollowed === undefined ? [] : [slicesFollowed.ageMs()])];
    return {
      ageMs: ages.includes(undefined) ? undefined : Math.max(...(ages as number[])),
      pod,
      pool: pod === undefined ? err('no such Pod') : poolOf(pod, index, claims, options),
      usersOf: index.usersOf,
      slice:
        pod === undefined || service === undefined
          ? undefined
          : slicesFollowed === undefined
            ? { kind: 'nowhere', why: 'sallyport.dev/service needs a driver with --endpoint-slices' }
            : slices.find(pod.namespace, service, pod.uid),
    };
  }

  return {
    getCapabilities: () => ({ driver: 'kubernetes', appEndpoints: options.appEndpoints }),
    getSandbox(workspace, sandbox) {
      if (!pods.complete()) return notSeen();
      const workload = claims.get({ workspace, sandbox });
      if (workload === undefined) return err(failure('unknown', `no Pod declares ${workspace}/${sandbox}`));
      if (workload.runtimeId === undefined) return err(fenced('workload', workload.problem ?? ''));
      return ok(workload as LivingWorkload);
    },
    listSandboxes: () => (pods.complete() ? ok(claims.list()) : notSeen()),
    watchSandboxes(watcher) {
      waiting.add(watcher);
      begin();
      return () => {
        waiting.delete(watcher);
        watchers.delete(watcher);
      };
    },
    async authenticateSupervisor(credential) {
      const token = await review(credential);
      if (!token.ok) return token;
      const { ageMs, pod, pool } = viewOf(token.value.podUid);
      if (ageMs === undefined || ageMs > STALE_MS) return err(failure('not-ready', "the driver's view of the Pods is stale"));
      return proveSupervisor(token.value, { pod, pool, accounts: options.accounts }) satisfies {
        ok: boolean;
        value?: Supervisor;
      };
    },
    async resolveSupervisorAppEndpoint(asked) {
      const first = resolveEndpoint(viewOf(asked.supervisorUid), asked, options.prefer);
      const pod = index.pod(asked.supervisorUid);
      if (!first.ok || pod === undefined) return first;
      const live = await look.confirm(pod);
      if (!live.ok) return live;
      // What we hold may have changed while we looked.
      return resolveEndpoint(viewOf(asked.supervisorUid), asked, options.prefer);
    },
    checkSelf: () => checkSelf({ client, options, ageMs: pods.ageMs() }),
    pods,
    claims,
    podCount: () => index.size,
    stop() {
      cancelAge();
      events.stop();
      pods.stop();
      slicesFollowed?.stop();
    },
  };
}
