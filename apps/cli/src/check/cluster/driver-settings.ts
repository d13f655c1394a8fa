import type { Family } from '@sallyport/kube';

/** How the driver of the release reads Pods, by the arguments of its container. */
export interface DriverSettings {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** `namespace/name` of every account that supervisors run as. */
  readonly accounts: readonly string[];
  readonly sidecars: boolean;
  readonly workspaceIsNamespace: boolean;
  readonly prefer: Family;
  readonly endpointSlices: boolean;
  readonly appEndpoints: boolean;
}

/** Only what decides what is found; the driver itself refuses what is wrong. */
export function readDriverSettings(given: readonly string[]): DriverSettings {
  const all = (name: string): readonly string[] =>
    given.flatMap((argument) => (argument.startsWith(`--${name}=`) ? [argument.slice(name.length + 3)] : []));
  const flag = (name: string): boolean => given.includes(`--${name}`) || all(name).includes('true');
  return {
    namespaces: all('namespace'),
    accounts: all('supervisor-account'),
    sidecars: flag('sidecar-supervisors'),
    workspaceIsNamespace: flag('workspace-is-namespace'),
    prefer: all('prefer-family').includes('ipv6') ? 'ipv6' : 'ipv4',
    endpointSlices: flag('endpoint-slices'),
    appEndpoints: !all('app-endpoints').includes('off'),
  };
}

/** Those of a release that is not there yet, with the chart's defaults. */
export const settingsByDefault = (namespace: string, release: string): DriverSettings => ({
  ...readDriverSettings([]),
  namespaces: [namespace],
  accounts: [`${namespace}/${release}-supervisor`],
});
