import type { Change } from '../api/cache.ts';
import { createClaims } from '../pods/claims.ts';
import { type Pod, readPod } from '../pods/pod.ts';
import { createPodIndex } from '../pods/pod-index.ts';
import { type PodShape, podObject } from './kube-api/pods.ts';

let versions = 0;

/** A Pod as the driver holds it, named by its UID. */
export function pod(uid: string, shape: PodShape = {}): Pod {
  versions += 1;
  const object = podObject(`pod-${uid}`, { ...shape, uid });
  const read = readPod({ ...object, metadata: { ...object.metadata, resourceVersion: String(versions) } });
  if (read === undefined) throw new Error('no Pod');
  return read;
}

export const put = (item: Pod): Change<Pod> => ({ kind: 'put', item, before: undefined });
export const removed = (item: Pod): Change<Pod> => ({ kind: 'removed', item });

/** Index and claims, fed as the driver feeds them. */
export function podScene(options: { readonly workspaceIsNamespace?: boolean } = {}) {
  const index = createPodIndex({ workspaceIsNamespace: options.workspaceIsNamespace ?? false });
  const claims = createClaims(index, 'ipv4');
  return {
    index,
    claims,
    apply(...changes: Change<Pod>[]) {
      index.apply(changes);
      return claims.apply(changes);
    },
  };
}

/** Labels of a sandbox, and its services. */
export const declares = (name: string, services = 'web=8080', more: Readonly<Record<string, string>> = {}): PodShape => {
  const [workspace = '', sandbox = ''] = name.split('/');
  return { labels: { workspace, sandbox }, annotations: { services, ...more } };
};
