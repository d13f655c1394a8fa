import type { KubernetesOptions } from '../kubernetes-options.ts';

export const SUPERVISOR_ACCOUNT = 'sallyport/supervisor';

export const DRIVER_OPTIONS: KubernetesOptions = {
  namespaces: [],
  audience: 'sallyport-gateway',
  accounts: [SUPERVISOR_ACCOUNT],
  sidecars: false,
  workspaceIsNamespace: false,
  prefer: 'ipv4',
  endpointSlices: false,
  appEndpoints: true,
  checkEveryMs: 600_000,
};
