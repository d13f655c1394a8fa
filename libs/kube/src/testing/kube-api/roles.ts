import type { ObjectStore } from './object-store.ts';
import type { Grant, PolicyRule, Rbac } from './rbac.ts';
import type { ApiObject } from './resources.ts';

interface Binding extends ApiObject {
  readonly roleRef: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string };
  readonly subjects: readonly { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }[];
}

/** Service accounts may what the bindings that are stored say, from the moment that they say so. */
export function followRoles(store: ObjectStore, rbac: Rbac): () => void {
  return store.onEvent(({ plural }) => {
    if (!plural.endsWith('roles') && !plural.endsWith('bindings')) return;
    const granted = new Map<string, Grant[]>();
    for (const binding of [...store.list('rolebindings', undefined), ...store.list('clusterrolebindings', undefined)]) {
      const { metadata, roleRef, subjects } = binding as Binding;
      const isOfCluster = roleRef.kind === 'ClusterRole';
      const role = store.get(isOfCluster ? 'clusterroles' : 'roles', isOfCluster ? '' : metadata.namespace, roleRef.name);
      if (role === undefined) continue;
      const namespace = binding.kind === 'ClusterRoleBinding' ? undefined : metadata.namespace;
      for (const { namespace: own, name } of subjects) {
        const username = `system:serviceaccount:${own}:${name}`;
        granted.set(username, [...(granted.get(username) ?? []), { rules: role.rules as readonly PolicyRule[], namespace }]);
      }
    }
    for (const [username, grants] of granted) rbac.grant(username, grants);
  });
}
