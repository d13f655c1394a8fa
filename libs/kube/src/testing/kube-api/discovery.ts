import { apiVersionOf, RESOURCES } from './resources.ts';

/** What clients ask before they ask for anything: which groups, versions and kinds there are. */
export function discoveryOf(path: string): object | undefined {
  if (path === '/version') return { major: '1', minor: '34', gitVersion: 'v1.34.0' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') {
    // Each once: helm counts a kind of a group that is named twice as two.
    const versions = new Map(RESOURCES.filter(({ group }) => group !== '').map(({ group, version }) => [group, version]));
    const groups = [...versions].map(([group, version]) => {
      const named = { groupVersion: `${group}/${version}`, version };
      return { name: group, versions: [named], preferredVersion: named };
    });
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  const resources = RESOURCES.filter(
    (resource) => path === `/${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`,
  );
  const [first] = resources;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(first),
    resources: resources.map(({ plural, kind, scope }) => ({
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced: scope !== 'cluster',
      kind,
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
      shortNames: plural === 'pods' ? ['po'] : [],
    })),
  };
}
