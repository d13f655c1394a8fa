import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followRoles, type KubeApi, RESOURCES, type Resource, startKubeApi } from '@sallyport/kube/testing';
import { createAuthority } from '@sallyport/pki';
import { connectApi } from '../api.ts';
import { type Cluster, createCluster } from '../cluster.ts';
import { commandOf } from './commands.ts';
import { followObjects } from './controllers.ts';
import { type Node, startNode } from './node.ts';
import type { Places } from './places.ts';

/** An API server of ours over HTTPS, and a node that runs Pods as processes of this machine. */
export interface LocalCluster {
  readonly api: KubeApi;
  readonly node: Node;
  /** Logs of all containers. */
  readonly folder: string;
  /** For clients that read one: the cluster's administrator. */
  readonly kubeconfig: string;
}

export const NAMESPACE = 'e2e';
const ADMIN_TOKEN = 'administrator';
const ALL = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const FIRST_FIXED = 2;
const BOOKMARK_EACH_MS = 20_000;

export async function startLocalCluster(places: Places): Promise<Cluster & { readonly local: LocalCluster }> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-cluster-'));
  const authority = await createAuthority({ commonName: 'cluster CA', days: 2, now: new Date() });
  const { certPem, keyPem } = await authority.issue({ ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1, now: new Date() });
  const api = await startKubeApi({ certPem, keyPem, caPem: authority.certPem });
  api.knowsBearer(ADMIN_TOKEN, 'administrator');
  api.rbac.grant('administrator', [{ rules: ALL }]);
  const stopRoles = followRoles(api.store, api.rbac);
  const configMaps = RESOURCES.find(({ plural }) => plural === 'configmaps') as Resource;
  api.store.put(configMaps, {
    metadata: { name: 'kube-root-ca.crt', namespace: NAMESPACE },
    data: { 'ca.crt': authority.certPem },
  });
  const node = startNode(api, places, folder);
  const stopObjects = followObjects(api, node);
  const bookmarks = setInterval(() => api.watches.bookmark(), BOOKMARK_EACH_MS);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(api.url, authority.certPem), { mode: 0o600 });
  const fixed = new Map<string, string>();

  const local: LocalCluster = { api, node, folder, kubeconfig };
  const cluster = createCluster({
    api: connectApi({ url: api.url, ca: authority.certPem, token: ADMIN_TOKEN }),
    namespace: NAMESPACE,
    apiServer: api.url,
    image: (app) => `local/${app}:test`,
    async fixed(app) {
      const address = fixed.get(app) ?? `${places.subnet}.${FIRST_FIXED + fixed.size}`;
      fixed.set(app, address);
      return { host: address, address };
    },
    reach: async (pod, port) => ({ host: pod.address, port }),
    exec(pod, command) {
      const [program, ...args] = node
        .place(pod.name)
        .inside(
          commandOf(
            { image: 'node', command },
            { folder: join(folder, `${pod.name}-${pod.uid.slice(0, 8)}`), address: pod.address },
          ),
        );
      return spawn(program as string, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    },
    local,
    async close() {
      clearInterval(bookmarks);
      stopObjects();
      stopRoles();
      await node.close();
      places.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
  return { ...cluster, local };
}

const kubeconfigOf = (server: string, ca: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'local',
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'administrator', namespace: NAMESPACE } }],
    clusters: [{ name: 'local', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'administrator', user: { token: ADMIN_TOKEN } }],
  });
