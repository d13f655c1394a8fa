import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DRIVER_RULES, REVIEW_RULES, SLICE_RULES } from '@sallyport/kube/testing';
import { call, gatewayV1 } from '@sallyport/wire';
import { type Client, openClient } from './client.ts';
import type { Cluster } from './cluster.ts';
import { type Credentials, createCredentials, DOMAIN } from './credentials.ts';
import { configMapManifest, secretManifest, serviceManifest } from './manifest.ts';
import { openOperatorWay } from './operator-way.ts';
import type { RunningPod, Texts } from './plan.ts';
import { discoveryPlan, driverPlan, etcdPlan, gatewayPlan, PORTS, supervisorPlan, workloadPlan } from './plans.ts';
import { followPublication, type Publication } from './publication.ts';

export const POOL = 'blue';

/** A whole installation of ours in a cluster: each part a Pod. */
export interface Installation {
  readonly cluster: Cluster;
  readonly credentials: Credentials;
  readonly publication: Publication;
  readonly driver: RunningPod;
  readonly gateways: readonly RunningPod[];
  /** When they were last started, `performance.now()`. */
  readonly gatewaysAt: number;
  supervise(name: string, given?: SuperviseOptions): Promise<RunningPod>;
  /** An application with its boundary; without labels it is nobody's sandbox yet. */
  work(name: string, given: WorkOptions): Promise<Workload>;
  client(name: string, labels?: Texts): Promise<Client>;
  /** All gateways end, or by force; until the next call they are away. */
  stopGateways(): Promise<void>;
  startGateways(): Promise<void>;
  /** What the first gateway says to `sallyport status`. */
  status(): Promise<gatewayV1.GetStatusResponse>;
  close(): Promise<void>;
}

export interface SuperviseOptions {
  /** `team/box`: it serves this one alone, and is reached by its own Service. */
  readonly supervises?: string;
  readonly delivery?: 'push' | 'poll';
  readonly listens?: boolean;
  readonly pool?: string;
  readonly address?: string;
}

export interface WorkOptions {
  readonly services?: (appPort: number) => string;
  readonly labels?: Texts;
  readonly address?: string;
  /** Else one that no other has. */
  readonly appPort?: number;
}

export interface Workload {
  readonly pod: RunningPod;
  readonly appPort: number;
}

export const hostOf = (sandbox: string, service = 'web'): string => `team--${sandbox}--${service}.${DOMAIN}`;

const STATUS_MS = 5_000;
const FIRST_APP_PORT = 18_080;
const PROGRAMS = ['application.mjs', 'client.mjs'];

export async function startInstallation(cluster: Cluster, { gatewayCount = 2 } = {}): Promise<Installation> {
  const closing: (() => unknown)[] = [() => cluster.close()];
  const close = async (): Promise<void> => {
    for (const act of closing.splice(0).reverse()) await act();
  };
  try {
    return await begin();
  } catch (error) {
    await close();
    throw error;
  }

  async function begin(): Promise<Installation> {
    const credentials = await createCredentials();
    await makeObjects(cluster, credentials);
    const { image, namespace } = cluster;
    const fixed = async (app: string, port: number) => cluster.fixed(app, [port]);
    const hosts = { etcd: await fixed('etcd', PORTS.etcd), driver: await fixed('driver', PORTS.driver) };
    await cluster.run({ ...etcdPlan(image, hosts.etcd.host), address: hosts.etcd.address });
    const driver = await cluster.run({ ...driverPlan(image, namespace), address: hosts.driver.address });
    const discovery = await cluster.run(discoveryPlan(image, hosts.etcd.host));
    const places = await Promise.all(
      Array.from({ length: gatewayCount }, async (_, index) => {
        const name = `gateway-${index + 1}`;
        return { name, at: await fixed(name, PORTS.supervisor) };
      }),
    );
    let gateways: RunningPod[] = [];
    let gatewaysAt = 0;
    const startGateways = async (): Promise<void> => {
      gateways = await Promise.all(
        places.map(({ name, at }) =>
          cluster.run({
            ...gatewayPlan(image, name, { etcd: hosts.etcd.host, driver: hosts.driver.host }),
            address: at.address,
          }),
        ),
      );
      gatewaysAt = performance.now();
    };
    await startGateways();

    const operator = await openOperatorWay(cluster, credentials);
    closing.push(() => operator.close());
    const publication = followPublication(await operator.link(discovery, 'discovery', PORTS.discovery), operator.bearer);
    closing.push(() => publication.close());
    let appPort = FIRST_APP_PORT;
    const clients: Client[] = [];
    closing.push(() => clients.map((client) => client.close()));

    return {
      cluster,
      credentials,
      publication,
      driver,
      get gateways() {
        return gateways;
      },
      get gatewaysAt() {
        return gatewaysAt;
      },
      async supervise(name, { supervises, pool = POOL, ...given } = {}) {
        const service = `${name}-apps`;
        if (supervises !== undefined) await cluster.put('services', serviceManifest(service, { app: name }, [PORTS.app]));
        const annotations =
          supervises === undefined
            ? { 'sallyport.dev/pool': pool }
            : { 'sallyport.dev/supervises': supervises, 'sallyport.dev/service': service };
        return cluster.run(
          supervisorPlan(image, {
            name,
            gateways: places.map(({ at }) => at.host),
            pool: supervises === undefined ? pool : `dedicated:${supervises.replace('/', ':')}`,
            annotations,
            ...given,
          }),
        );
      },
      async work(name, { services = (port) => `web=${port}`, labels = {}, address, appPort: wanted }) {
        do appPort += 1;
        while (await isTaken(appPort));
        const port = wanted ?? appPort;
        const annotations: Texts =
          Object.keys(labels).length === 0
            ? {}
            : { 'sallyport.dev/services': services(port), 'sallyport.dev/boundary': String(PORTS.boundary) };
        const pod = await cluster.run(
          workloadPlan(image, {
            name,
            appPort: port,
            annotations,
            labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`sallyport.dev/${key}`, value])),
            address,
            secretSuffix: String(appPort),
            certificateOf: (uid) => credentials.internal('boundary', uid),
          }),
        );
        return { pod, appPort: port };
      },
      async client(name, labels = { role: 'client' }) {
        const client = await openClient(cluster, name, labels, credentials.appCa);
        clients.push(client);
        return client;
      },
      async stopGateways() {
        await Promise.all(gateways.map((gateway) => cluster.end(gateway, { force: true })));
        gateways = [];
      },
      startGateways,
      async status() {
        const [first] = gateways;
        if (first === undefined) throw new Error('there is no gateway');
        const link = await operator.link(first, 'gateway', PORTS.operator);
        const options = { deadlineMs: STATUS_MS, bearer: operator.bearer };
        const answer = await call(link, gatewayV1.GatewayServiceService.getStatus, {}, options);
        if (!answer.ok) throw new Error(answer.error.message);
        return answer.value;
      },
      close,
    };
  }
}

/** Where Pods share this machine's loopback, another program's port would be asked instead of the application's. */
async function isTaken(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return taken;
}

async function makeObjects(cluster: Cluster, credentials: Credentials): Promise<void> {
  const { namespace } = cluster;
  for (const name of ['driver', 'supervisor'])
    await cluster.put('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const subjects = [{ kind: 'ServiceAccount', namespace, name: 'driver' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io' };
  const ofCluster = `sallyport-e2e-${namespace}`;
  await cluster.put('roles', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'driver' },
    rules: [...DRIVER_RULES, ...SLICE_RULES],
  });
  await cluster.put('rolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'driver' },
    subjects,
    roleRef: { ...roleRef, kind: 'Role', name: 'driver' },
  });
  await cluster.put('clusterroles', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: ofCluster },
    rules: REVIEW_RULES,
  });
  await cluster.put('clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: ofCluster },
    subjects,
    roleRef: { ...roleRef, kind: 'ClusterRole', name: ofCluster },
  });
  for (const app of ['gateway', 'driver', 'discovery', 'supervisor'])
    await cluster.put('secrets', secretManifest(`internal-${app}`, await credentials.internal(app, 'e2e')));
  await cluster.put('secrets', secretManifest('apps-tls', credentials.apps));
  await cluster.put('secrets', secretManifest('signing', credentials.signing));
  await cluster.put('secrets', secretManifest('verify', credentials.verify));
  await cluster.put('secrets', secretManifest('driver-kubeconfig', { config: driverKubeconfig(cluster.apiServer) }));
  const programs = await Promise.all(
    PROGRAMS.map(async (name) => [name, await readFile(join(import.meta.dirname, 'programs', name), 'utf8')] as const),
  );
  await cluster.put('configmaps', configMapManifest('programs', Object.fromEntries(programs)));
}

/** Its files lie beside it: the token is the Pod's own and changes now and then. */
const driverKubeconfig = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'u', user: { tokenFile: 'token' } }],
  });
