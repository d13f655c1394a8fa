import type { ObjectStore, Wanted } from './object-store.ts';
import { type ApiObject, RESOURCES, type Resource } from './resources.ts';

const resourceOf = (plural: string): Resource => RESOURCES.find((each) => each.plural === plural) as Resource;

export interface PodShape {
  readonly uid?: string;
  readonly namespace?: string;
  /** Ours: without `sallyport.dev/`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly serviceAccount?: string;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly phase?: string;
  readonly deleting?: boolean;
  readonly hostNetwork?: boolean;
  /** Name of the Sandbox that owns it. */
  readonly owner?: string;
  readonly containers?: readonly {
    readonly name: string;
    readonly restarts?: number;
    readonly running?: boolean;
    readonly predecessorUnknown?: boolean;
  }[];
}

/** A Pod as the API shows it. */
export function podObject(name: string, shape: PodShape = {}): Wanted {
  const { uid, namespace = 'default', labels = {}, annotations = {}, ips = [], ready = true, phase = 'Running', owner } = shape;
  const containers = shape.containers ?? [{ name: 'main' }];
  return {
    metadata: {
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      labels: ours(labels),
      annotations: ours(annotations),
      ...(shape.deleting === true ? { deletionTimestamp: '2026-01-01T00:10:00Z' } : {}),
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'agents.x-k8s.io/v1alpha1', kind: 'Sandbox', name: owner, uid: `uid-of-${owner}`, controller: true },
            ],
          }),
    },
    spec: {
      serviceAccountName: shape.serviceAccount ?? 'default',
      ...(shape.hostNetwork === true ? { hostNetwork: true } : {}),
      containers: containers.map(({ name }) => ({ name, image: 'app' })),
    },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      ...(ips.length === 0 ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
      containerStatuses: containers.map(({ name, restarts = 0, running = true, predecessorUnknown = false }) => ({
        name,
        restartCount: restarts,
        containerID: `containerd://${name}-${restarts}`,
        state: running ? { running: { startedAt: '2026-01-01T00:00:00Z' } } : { waiting: { reason: 'CrashLoopBackOff' } },
        lastState:
          restarts === 0 || predecessorUnknown
            ? {}
            : { terminated: { exitCode: 1, containerID: `containerd://${name}-${restarts - 1}` } },
      })),
    },
  };
}

export const putPod = (store: ObjectStore, name: string, shape: PodShape = {}): ApiObject =>
  store.put(resourceOf('pods'), podObject(name, shape));

export const putSlice = (
  store: ObjectStore,
  name: string,
  slice: {
    readonly namespace?: string;
    readonly service: string;
    readonly port: number;
    readonly endpoints: readonly { readonly ips: readonly string[]; readonly uid: string; readonly ready?: boolean }[];
  },
): ApiObject =>
  store.put(resourceOf('endpointslices'), {
    metadata: { name, namespace: slice.namespace ?? 'default', labels: { 'kubernetes.io/service-name': slice.service } },
    addressType: slice.endpoints[0]?.ips[0]?.includes(':') ? 'IPv6' : 'IPv4',
    ports: [{ name: 'https', port: slice.port, protocol: 'TCP' }],
    endpoints: slice.endpoints.map(({ ips, uid, ready = true }) => ({
      addresses: ips,
      conditions: { ready },
      targetRef: { kind: 'Pod', uid },
    })),
  });

const ours = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`sallyport.dev/${name}`, text]));
