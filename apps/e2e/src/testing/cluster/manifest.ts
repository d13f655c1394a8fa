import { ADDRESS_ANNOTATION, type ContainerPlan, MOUNTED_AT, type PodPlan, type Texts, type VolumePlan } from './plan.ts';

/** Seconds that a Pod may take to end; our processes drain for less. */
const GRACE_SECONDS = 5;
const TOKEN_SECONDS = 3_600;

export function podManifest(
  { name, labels, annotations, containers, volumes = {}, ...plan }: PodPlan,
  namespace: string,
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { app: name, ...labels },
      annotations: { ...annotations, ...(plan.address === undefined ? {} : { [ADDRESS_ANNOTATION]: plan.address }) },
    },
    spec: {
      serviceAccountName: plan.serviceAccount ?? 'default',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      containers: containers.map((container) => containerManifest(container, Object.keys(volumes))),
      volumes: Object.entries(volumes).map(([volume, given]) => ({ name: volume, ...volumeManifest(given) })),
    },
  };
}

const containerManifest = ({ name, image, command, args, ready }: ContainerPlan, volumes: readonly string[]): object => ({
  name,
  image,
  ...(command === undefined ? {} : { command }),
  args,
  volumeMounts: volumes.map((volume) => ({ name: volume, mountPath: `${MOUNTED_AT}/${volume}`, readOnly: true })),
  ...(ready === undefined
    ? {}
    : {
        readinessProbe: {
          periodSeconds: 1,
          ...(ready.path === undefined
            ? { tcpSocket: { port: ready.port } }
            : { httpGet: { path: ready.path, port: ready.port } }),
        },
      }),
});

function volumeManifest(volume: VolumePlan): object {
  switch (volume.kind) {
    case 'secret':
      return { secret: { secretName: volume.name } };
    case 'configMap':
      return { configMap: { name: volume.name } };
    case 'token':
      return { projected: { sources: [token({ audience: volume.audience })] } };
    case 'api-access':
      // The root CA is put into each namespace by the cluster itself.
      return {
        projected: {
          sources: [token({}), { configMap: { name: 'kube-root-ca.crt' } }, { secret: { name: volume.configSecret } }],
        },
      };
  }
}

const token = (of: { readonly audience?: string }): object => ({
  serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS, ...of },
});

export const secretManifest = (name: string, texts: Texts): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

export const configMapManifest = (name: string, data: Texts): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

export const serviceManifest = (name: string, selector: Texts, ports: readonly number[]): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector, ports: ports.map((port) => ({ name: `p${port}`, port, targetPort: port, protocol: 'TCP' })) },
});

/** Pods with these labels take connections to this port from Pods with those labels, and from nobody else. */
export const policyManifest = (name: string, to: Texts, port: number, from: Texts): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec: {
    podSelector: { matchLabels: to },
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: { matchLabels: from } }], ports: [{ port, protocol: 'TCP' }] }],
  },
});
