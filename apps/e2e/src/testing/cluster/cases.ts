import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findEtcd, INSTALL_ETCD } from '@sallyport/store/etcd-process';
import { describe } from 'vitest';
import type { Cluster } from './cluster.ts';
import { type Installation, startInstallation } from './installation.ts';
import { kubeconfigOptions, openKubeconfigCluster } from './kubeconfig.ts';
import { type LocalCluster, startLocalCluster } from './local/cluster.ts';
import { namespacePlaces, namespacesMissing } from './local/namespaces.ts';
import { loopbackPlaces } from './local/places.ts';

/**
 * What a case needs of its cluster. `any`: the cluster of `--kubeconfig` if there is one. `network`: Pods with a network of their
 * own as well. `faults`: what nobody does to a cluster of theirs, so it is always the one of this machine.
 */
export type Need = 'any' | 'network' | 'faults';

const isRequired = process.env.SALLYPORT_REQUIRE === 'all';
const given = kubeconfigOptions(process.env);

function missing(need: Need): string | undefined {
  if (need !== 'faults' && given !== undefined)
    return spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).error === undefined
      ? undefined
      : 'apt-get install -y kubernetes-client';
  if (findEtcd(process.env.SALLYPORT_ETCD_BINARY, process.env.PATH) === undefined) return INSTALL_ETCD;
  return need === 'network' ? namespacesMissing() : undefined;
}

/** `describe` for cases on a cluster: what is missing for them is in their name, and a skip; or a failure. */
export function describeCluster(need: Need, name: string, body: () => void): void {
  const why = missing(need);
  describe.skipIf(why !== undefined && !isRequired)(why === undefined ? name : `${name} (${why})`, body);
}

export async function openCluster(need: 'any' | 'network'): Promise<Cluster> {
  const why = missing(need);
  if (why !== undefined) throw new Error(why);
  if (given !== undefined) return openKubeconfigCluster(given);
  return startLocalCluster(need === 'network' ? namespacePlaces() : loopbackPlaces());
}

/** Pods have networks of their own where this machine can make them: then a lost node is as silent as a real one. */
export const openFaultCluster = (): Promise<Cluster & { readonly local: LocalCluster }> =>
  startLocalCluster(namespacesMissing() === undefined ? namespacePlaces() : loopbackPlaces());

const ROOT = resolve(import.meta.dirname, '../../../../..');

/** Keeps what the processes logged if a case fails, and says where. */
export async function withEvidence<T>(name: string, cluster: Cluster, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (cluster.local === undefined) throw error;
    const folder = join(ROOT, 'reports', 'failures', `${name}-${Date.now()}`);
    mkdirSync(folder, { recursive: true });
    const { folder: logs } = cluster.local;
    cpSync(logs, folder, { recursive: true, filter: (file) => file === logs || file.endsWith('.log') });
    throw new Error(`${(error as Error).message}\nlogs are kept in ${folder}`, { cause: error });
  }
}

/** One installation on a cluster of its own for one case. */
export async function onInstallation(
  name: string,
  need: Need,
  body: (installation: Installation) => Promise<void>,
): Promise<void> {
  const cluster = need === 'faults' ? await openFaultCluster() : await openCluster(need);
  let installation: Installation | undefined;
  try {
    await withEvidence(name, cluster, async () => {
      installation = await startInstallation(cluster);
      await body(installation);
    });
  } finally {
    await (installation?.close() ?? cluster.close());
  }
}
