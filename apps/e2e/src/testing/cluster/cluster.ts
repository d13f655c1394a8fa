import type { ChildProcess } from 'node:child_process';
import type { Address } from '@sallyport/process';
import { until } from '../../authority/rig/until.ts';
import type { ApiAnswer, ClusterApi } from './api.ts';
import type { LocalCluster } from './local/cluster.ts';
import { podManifest, secretManifest } from './manifest.ts';
import { ours, type PodPlan, type RunningPod } from './plan.ts';

/**
 * Where cases run. Everything that they make, label and delete goes through the API server, alike for the one of these tests and
 * for a real one; what differs is how Pods come to run and how one gets at them.
 */
export interface Cluster extends ClusterWays {
  /** Resolves when the Pod is ready; its address and UID are the API server's word. */
  run(plan: PodPlan): Promise<RunningPod>;
  /** Ours, without their prefix; null takes one away. */
  mark(pod: RunningPod, marks: Marks): Promise<void>;
  /** Resolves when the Pod is gone. By force: nothing of it is told to end first. */
  end(pod: RunningPod, how?: { readonly force?: boolean }): Promise<void>;
  put(kind: Kind, object: object): Promise<void>;
}

/** What differs from cluster to cluster. */
export interface ClusterWays {
  readonly api: ClusterApi;
  readonly namespace: string;
  /** The API server as Pods reach it. */
  readonly apiServer: string;
  image(app: string): string;
  /** A name or an address that stays when the Pod behind it is another one. */
  fixed(app: string, ports: readonly number[]): Promise<{ readonly host: string; readonly address: string | undefined }>;
  /** A port of a Pod, from here. */
  reach(pod: RunningPod, port: number): Promise<Address>;
  /** A program in a container of a Pod, its input and output here. */
  exec(pod: RunningPod, command: readonly string[]): ChildProcess;
  /** What only a cluster of processes on this machine can do. */
  readonly local: LocalCluster | undefined;
  close(): Promise<void>;
}

export interface Marks {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

const KINDS = {
  secrets: 'api/v1',
  configmaps: 'api/v1',
  services: 'api/v1',
  serviceaccounts: 'api/v1',
  pods: 'api/v1',
  networkpolicies: 'apis/networking.k8s.io/v1',
  roles: 'apis/rbac.authorization.k8s.io/v1',
  rolebindings: 'apis/rbac.authorization.k8s.io/v1',
  clusterroles: 'apis/rbac.authorization.k8s.io/v1',
  clusterrolebindings: 'apis/rbac.authorization.k8s.io/v1',
} as const;
export type Kind = keyof typeof KINDS;

/** Images may have to be fetched first. */
const READY_MS = 120_000;
const GONE_MS = 60_000;

export function createCluster(ways: ClusterWays): Cluster {
  const { api, namespace } = ways;
  const made: string[] = [];
  const listOf = (kind: Kind): string =>
    kind.startsWith('cluster') ? `/${KINDS[kind]}/${kind}` : `/${KINDS[kind]}/namespaces/${namespace}/${kind}`;
  const pathOf = (pod: Pick<RunningPod, 'name'>): string => `${listOf('pods')}/${pod.name}`;

  async function put(kind: Kind, object: object): Promise<void> {
    const { metadata } = await api.create(listOf(kind), object);
    made.push(`${listOf(kind)}/${metadata.name}`);
  }

  return {
    ...ways,
    put,
    async run(plan) {
      const { metadata } = await api.create(listOf('pods'), podManifest(plan, namespace));
      made.push(pathOf(plan));
      for (const [name, texts] of Object.entries((await plan.secretsOf?.(metadata.uid)) ?? {}))
        await put('secrets', secretManifest(name, texts));
      let seen: ApiAnswer | undefined;
      await until(
        `Pod ${plan.name} is ready`,
        async () => {
          seen = await api.get(pathOf(plan));
          return seen?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
        },
        READY_MS,
      );
      return { name: plan.name, uid: metadata.uid, address: seen?.status?.podIP ?? '' };
    },
    async mark(pod, { labels = {}, annotations = {} }) {
      await api.patch(pathOf(pod), { metadata: { labels: ours(labels), annotations: ours(annotations) } });
    },
    async end(pod, { force = false } = {}) {
      await api.remove(pathOf(pod), force ? 0 : undefined);
      const isGone = async (): Promise<boolean> => (await api.get(pathOf(pod)))?.metadata.uid !== pod.uid;
      await until(`Pod ${pod.name} is gone`, isGone, GONE_MS);
    },
    async close() {
      // Pods at once, so that nothing waits for anything that a case has broken.
      for (const path of made.reverse()) await api.remove(path, 0).catch(() => undefined);
      await ways.close();
    },
  };
}
