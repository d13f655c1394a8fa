import type { Permission } from './access-review.ts';

/** What of its settings decides what the driver has to be allowed. */
export interface DriverNeeds {
  readonly appEndpoints: boolean;
  readonly endpointSlices: boolean;
}

export interface NamedPermissions {
  readonly name: string;
  readonly wanted: readonly Permission[];
}

/** The rules of docs/kubernetes.md, "What the driver may do", one by one. */
export function driverPermissions({ appEndpoints, endpointSlices }: DriverNeeds): readonly NamedPermissions[] {
  const of = (verbs: readonly string[], group: string, resource: string): readonly Permission[] =>
    verbs.map((verb) => ({ verb, group, resource }));
  return [
    // A single Pod is looked at before its address is given away, and for nothing else.
    { name: 'pods', wanted: of([...(appEndpoints ? ['get'] : []), 'list', 'watch'], '', 'pods') },
    { name: 'events', wanted: of(['create'], '', 'events') },
    {
      name: 'tokenreviews',
      wanted: [{ verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews', isOfCluster: true }],
    },
    ...(endpointSlices ? [{ name: 'endpointslices', wanted: of(['list', 'watch'], 'discovery.k8s.io', 'endpointslices') }] : []),
  ];
}

/** Whoever may run commands in Pods needs no proof of anything: the driver must not be a way to that. */
export const NEVER_OF_THE_DRIVER: Permission = { verb: 'create', group: '', resource: 'pods', subresource: 'exec' };
