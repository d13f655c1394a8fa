/** What this server has. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Without it each is in a namespace. */
  readonly scope?: 'cluster';
}

const NETWORK = { group: 'networking.k8s.io', version: 'v1' } as const;
const APPS = { group: 'apps', version: 'v1' } as const;
const ACCESS = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

export const RESOURCES: readonly Resource[] = [
  { group: '', version: 'v1', plural: 'pods', kind: 'Pod' },
  { group: '', version: 'v1', plural: 'events', kind: 'Event' },
  { group: '', version: 'v1', plural: 'services', kind: 'Service' },
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' },
  { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' },
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount' },
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', scope: 'cluster' },
  { ...APPS, plural: 'deployments', kind: 'Deployment' },
  { ...APPS, plural: 'statefulsets', kind: 'StatefulSet' },
  { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget' },
  { ...NETWORK, plural: 'networkpolicies', kind: 'NetworkPolicy' },
  { ...ACCESS, plural: 'roles', kind: 'Role' },
  { ...ACCESS, plural: 'rolebindings', kind: 'RoleBinding' },
  { ...ACCESS, plural: 'clusterroles', kind: 'ClusterRole', scope: 'cluster' },
  { ...ACCESS, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', scope: 'cluster' },
  { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', kind: 'EndpointSlice' },
  { group: 'agents.x-k8s.io', version: 'v1alpha1', plural: 'sandboxes', kind: 'Sandbox' },
];

export const apiVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** As stored: metadata is complete, the rest is whatever was put. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiMeta;
  readonly [field: string]: unknown;
}

export interface ApiMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A path under /api or /apis, taken apart. */
export interface Target {
  readonly resource: Resource;
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export function targetOf(path: string): Target | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const [root, ...rest] = parts;
  const group = root === 'apis' ? rest.shift() : root === 'api' ? '' : undefined;
  const version = rest.shift();
  if (group === undefined || version === undefined) return undefined;
  const namespace = rest[0] === 'namespaces' && rest.length >= 3 ? rest.splice(0, 2)[1] : undefined;
  const [plural, name, ...more] = rest;
  const resource = RESOURCES.find((each) => each.group === group && each.version === version && each.plural === plural);
  if (
    resource === undefined ||
    more.length > 0 ||
    (name !== undefined && (namespace === undefined) !== (resource.scope === 'cluster'))
  )
    return undefined;
  return { resource, namespace, name };
}
