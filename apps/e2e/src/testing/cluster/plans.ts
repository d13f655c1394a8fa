import { DOMAIN } from './credentials.ts';
import type { ContainerPlan, PodPlan, Texts, VolumePlan } from './plan.ts';

/** Ports of our apps in their Pods. */
export const PORTS = {
  etcd: 2379,
  driver: 7445,
  operator: 7443,
  supervisor: 7444,
  discovery: 7446,
  app: 8443,
  boundary: 9443,
  admin: { supervisor: 9101, gateway: 9102, driver: 9103, discovery: 9104, boundary: 9107 },
} as const;

export const AUDIENCE = 'sallyport-gateway';
type App = keyof typeof PORTS.admin;
type Image = (app: string) => string;
/** A named value is a flag with it, `true` the flag alone. */
type Options = Readonly<Record<string, string | true | undefined>>;

const DRAIN = '3s';
const at = (port: number): string => `0.0.0.0:${port}`;
const secret = (name: string): VolumePlan => ({ kind: 'secret', name });

const flags = (options: Options): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : value === true ? [`--${name}`] : [`--${name}=${value}`],
  );

const INTERNAL = {
  'internal-ca-file': '/e2e/internal/ca.crt',
  'internal-cert-file': '/e2e/internal/tls.crt',
  'internal-key-file': '/e2e/internal/tls.key',
};

function ours(app: App, image: Image, options: Options): ContainerPlan {
  const port = PORTS.admin[app];
  const common = { 'admin-listen': at(port), 'log-level': 'debug', drain: DRAIN, ...INTERNAL };
  return { name: app, image: image(app), args: flags({ ...common, ...options }), ready: { port, path: '/readyz' } };
}

export const etcdPlan = (image: Image, host: string): PodPlan => ({
  name: 'etcd',
  containers: [
    {
      name: 'etcd',
      image: image('etcd'),
      command: ['etcd'],
      args: [
        `--listen-client-urls=http://${at(PORTS.etcd)}`,
        `--advertise-client-urls=http://${host}:${PORTS.etcd}`,
        // Peers are none; only the port of clients is ours to choose.
        '--listen-peer-urls=http://127.0.0.1:0',
        '--log-level=error',
      ],
      ready: { port: PORTS.etcd },
    },
  ],
});

export const driverPlan = (image: Image, namespace: string): PodPlan => ({
  name: 'driver',
  serviceAccount: 'driver',
  volumes: { internal: secret('internal-driver'), api: { kind: 'api-access', configSecret: 'driver-kubeconfig' } },
  containers: [
    ours('driver', image, {
      backend: 'kubernetes',
      'driver-listen': at(PORTS.driver),
      kubeconfig: '/e2e/api/config',
      namespace,
      'supervisor-account': `${namespace}/supervisor`,
      'endpoint-slices': true,
    }),
  ],
});

export const gatewayPlan = (image: Image, name: string, hosts: { readonly etcd: string; readonly driver: string }): PodPlan => ({
  name,
  volumes: { internal: secret('internal-gateway'), signing: secret('signing') },
  containers: [
    ours('gateway', image, {
      'operator-listen': at(PORTS.operator),
      'supervisor-listen': at(PORTS.supervisor),
      domain: DOMAIN,
      driver: `${hosts.driver}:${PORTS.driver}`,
      'follow-workloads': true,
      'signing-keys': '/e2e/signing',
      store: `etcd://${hosts.etcd}:${PORTS.etcd}`,
    }),
  ],
});

export const discoveryPlan = (image: Image, etcdHost: string): PodPlan => ({
  name: 'discovery',
  volumes: { internal: secret('internal-discovery'), verify: secret('verify') },
  containers: [
    ours('discovery', image, {
      'discovery-listen': at(PORTS.discovery),
      'signing-keys': '/e2e/verify',
      store: `etcd://${etcdHost}:${PORTS.etcd}`,
    }),
  ],
});

export interface SupervisorPlanOptions {
  readonly name: string;
  readonly gateways: readonly string[];
  readonly pool: string;
  readonly annotations: Texts;
  readonly labels?: Texts;
  readonly delivery?: 'push' | 'poll';
  readonly listens?: boolean;
  readonly address?: string | undefined;
}

export const supervisorPlan = (
  image: Image,
  { delivery = 'push', listens = true, ...options }: SupervisorPlanOptions,
): PodPlan => ({
  name: options.name,
  labels: { role: 'supervisor', ...options.labels },
  annotations: options.annotations,
  serviceAccount: 'supervisor',
  address: options.address,
  volumes: { internal: secret('internal-supervisor'), tls: secret('apps-tls'), token: { kind: 'token', audience: AUDIENCE } },
  containers: [
    ours('supervisor', image, {
      gateway: options.gateways.map((host) => `${host}:${PORTS.supervisor}`).join(','),
      pool: options.pool,
      capacity: '100',
      'credential-file': '/e2e/token/token',
      delivery,
      ...(listens
        ? { 'app-listen': at(PORTS.app), domain: DOMAIN, 'app-cert-file': '/e2e/tls/tls.crt', 'app-key-file': '/e2e/tls/tls.key' }
        : {}),
    }),
  ],
});

export interface WorkloadPlanOptions {
  readonly name: string;
  readonly appPort: number;
  readonly annotations: Texts;
  readonly labels?: Texts;
  readonly address?: string | undefined;
  /** Of the name of its Secret, which outlives the Pod. */
  readonly secretSuffix: string;
  readonly certificateOf: (uid: string) => Promise<Texts>;
}

/** An application with its boundary beside it. The boundary's certificate names the Pod, so it is made once the Pod is. */
export const workloadPlan = (image: Image, options: WorkloadPlanOptions): PodPlan => {
  const certificate = `boundary-${options.name}-${options.secretSuffix}`;
  return {
    name: options.name,
    labels: { role: 'workload', ...options.labels },
    annotations: options.annotations,
    address: options.address,
    secretsOf: async (uid) => ({ [certificate]: await options.certificateOf(uid) }),
    volumes: { internal: secret(certificate), verify: secret('verify'), programs: { kind: 'configMap', name: 'programs' } },
    containers: [
      {
        name: 'application',
        image: image('node'),
        command: ['node'],
        args: ['/e2e/programs/application.mjs', String(options.appPort)],
      },
      ours('boundary', image, { 'boundary-listen': at(PORTS.boundary), 'verify-keys': '/e2e/verify' }),
    ],
  };
};

/** Waits for clients to be started in it. */
export const clientPlan = (image: Image, name: string, labels: Texts): PodPlan => ({
  name,
  labels,
  volumes: { programs: { kind: 'configMap', name: 'programs' } },
  containers: [{ name: 'client', image: image('node'), command: ['node'], args: ['-e', 'setInterval(() => undefined, 60000)'] }],
});
