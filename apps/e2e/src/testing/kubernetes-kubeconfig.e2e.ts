import { expect, test } from 'vitest';
import { describeCluster, withEvidence } from './cluster/cases.ts';
import { createCluster } from './cluster/cluster.ts';
import { hostOf, type Installation, startInstallation } from './cluster/installation.ts';
import { openKubeconfigCluster } from './cluster/kubeconfig.ts';
import { startLocalCluster } from './cluster/local/cluster.ts';
import { loopbackPlaces } from './cluster/local/places.ts';
import { labelAndServe, untilPublished, untilRefused } from './cluster/served.ts';
import { describeKubectl } from './needs.ts';

/**
 * What `--kubeconfig` adds, as far as it can be tried without a cluster: everything is asked of the API server through kubectl and a
 * kubeconfig. Images, `kubectl exec` and `kubectl port-forward` are those of a real cluster alone: here the node of this machine
 * stands for them.
 */
describeKubectl('a cluster by its kubeconfig', () =>
  describeCluster('faults', 'its API part', () => {
    test('an installation is made, a Pod is labelled, served, unlabelled and deleted, all through kubectl', async () => {
      const local = await startLocalCluster(loopbackPlaces());
      const byKubectl = await openKubeconfigCluster({
        kubeconfig: local.local.kubeconfig,
        namespace: local.namespace,
        images: 'local/{app}:test',
        etcdImage: 'local/etcd:test',
        nodeImage: 'local/node:test',
      });
      const close = async (): Promise<void> => {
        await byKubectl.close();
        await local.close();
      };
      const { namespace, image } = byKubectl;
      const { apiServer, fixed, reach, exec } = local;
      const cluster = createCluster({
        api: byKubectl.api,
        namespace,
        image,
        apiServer,
        fixed,
        reach,
        exec,
        local: local.local,
        close,
      });
      let installation: Installation | undefined;
      try {
        await withEvidence('kubeconfig', cluster, async () => {
          installation = await startInstallation(cluster, { gatewayCount: 1 });
          const supervisor = await installation.supervise('supervisor');
          const client = await installation.client('client');
          const box = await installation.work('box', {});
          await labelAndServe(installation, client, box, supervisor, 'box');
          await untilPublished(installation, hostOf('box'), supervisor);
          await cluster.mark(box.pod, {
            labels: { workspace: null, sandbox: null, pool: null },
            annotations: { services: null, boundary: null },
          });
          await untilRefused(client, supervisor, hostOf('box'), ['route_withdrawn']);
          await labelAndServe(installation, client, box, supervisor, 'box');
          await cluster.end(box.pod);
          await untilRefused(client, supervisor, hostOf('box'), ['route_withdrawn']);
        });
      } finally {
        await (installation?.close() ?? close());
      }
      // Nothing of it is left behind, but what the cluster itself had made.
      const left = (plural: string): string[] =>
        local.local.api.store.list(plural, undefined).map(({ metadata }) => metadata.name);
      expect(
        ['pods', 'secrets', 'services', 'networkpolicies', 'roles', 'clusterroles', 'clusterrolebindings'].flatMap(left),
      ).toEqual([]);
      expect(left('configmaps')).toEqual(['kube-root-ca.crt']);
    }, 120_000);
  }),
);
