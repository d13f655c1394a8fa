import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followRoles, type KubeStage, openKubeStage, RESOURCES, type Resource } from '@sallyport/kube/testing';
import { run } from './installation.ts';

/** An API server over HTTPS with what an installation has in its cluster, and kubeconfigs for it. */
export interface TestCluster {
  readonly stage: KubeStage;
  /** Path of a kubeconfig whose user has this token; the rest of it as given. */
  kubeconfig(token: string, change?: { readonly cluster?: object; readonly user?: object; readonly context?: string }): string;
  put(kind: string, object: object): void;
  remove(plural: string, name: string, namespace?: string): void;
  close(): Promise<void>;
}

export const NAMESPACE = 'sallyport';
/** May everything. */
export const ADMIN = 'admin-token';

export async function openTestCluster(): Promise<TestCluster> {
  const stage = await openKubeStage();
  const { api } = stage;
  const unfollow = followRoles(api.store, api.rbac);
  api.knowsBearer(ADMIN, 'admin');
  api.rbac.grant('admin', [{ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }]);
  let count = 0;
  const cluster: TestCluster = {
    stage,
    kubeconfig(token, { cluster = {}, user = {}, context = 'here' } = {}) {
      count += 1;
      const path = join(stage.directory, `kubeconfig-${count}`);
      const config = {
        'current-context': context,
        contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: api.url, 'certificate-authority': 'ca.crt', ...cluster } }],
        users: [{ name: 'u', user: { token, ...user } }],
      };
      writeFileSync(path, JSON.stringify(config));
      return path;
    },
    put(kind, object) {
      const resource = RESOURCES.find((each) => each.kind === kind) as Resource;
      const { metadata } = object as { readonly metadata: { readonly namespace?: string } };
      api.store.put(resource, {
        ...object,
        metadata: { ...metadata, namespace: resource.scope === 'cluster' ? '' : (metadata.namespace ?? NAMESPACE) },
      } as never);
    },
    remove: (plural, name, namespace = NAMESPACE) => void api.store.remove(plural, namespace, name),
    async close() {
      unfollow();
      await stage.close();
    },
  };
  cluster.put('Namespace', { metadata: { name: NAMESPACE } });
  return cluster;
}

/** As `sallyport pki secrets` prints them, with those that people make for etcd. */
export async function putSecrets({ put, stage }: TestCluster, ...more: readonly string[]): Promise<string> {
  const directory = join(stage.directory, 'pki');
  const { out, err } = await run(['pki', 'secrets', directory, '--namespace', NAMESPACE, ...more]);
  if (out === '') throw new Error(err);
  const { items } = JSON.parse(out) as { readonly items: readonly { kind: string; metadata: { name: string }; data: object }[] };
  for (const item of items) put(item.kind, item);
  const [internal] = items;
  put('Secret', { metadata: { name: 'sallyport-etcd-client' }, data: internal?.data });
  return directory;
}

export const labelsOf = (component: string) => ({
  'app.kubernetes.io/part-of': 'sallyport',
  'app.kubernetes.io/instance': 'sallyport',
  'app.kubernetes.io/component': component,
});

/** The driver's part of what the chart makes. */
export function putDriver({ put }: TestCluster, given: readonly string[] = [`--namespace=${NAMESPACE}`], ready = 2): void {
  put('Deployment', {
    metadata: { name: 'sallyport-driver', labels: labelsOf('driver') },
    spec: {
      replicas: 2,
      template: {
        spec: {
          containers: [
            {
              name: 'driver',
              args: [
                '--internal-ca-file=/var/run/sallyport/internal/ca.crt',
                '--internal-cert-file=/var/run/sallyport/internal/tls.crt',
                '--internal-key-file=/var/run/sallyport/internal/tls.key',
                `--supervisor-account=${NAMESPACE}/sallyport-supervisor`,
                ...given,
              ],
              volumeMounts: [{ name: 'internal', mountPath: '/var/run/sallyport/internal' }],
            },
          ],
          volumes: [{ name: 'internal', secret: { secretName: 'sallyport-driver-internal' } }],
        },
      },
    },
    status: { readyReplicas: ready },
  });
  put('Service', {
    metadata: { name: 'sallyport-driver', labels: labelsOf('driver') },
    spec: { selector: labelsOf('driver'), ports: [{ port: 7445 }] },
  });
}
