import { discoveryV1, driverV1, gatewayV1, supervisorV1 } from '@sallyport/wire';
import { CREDENTIAL, POOL, type Port } from './stage.ts';

/** How one method is called when it is called rightly; what is wrong about a misuse is added to that. */
export interface Row {
  readonly port: Port;
  readonly bytes: Buffer;
  /** Of the operator port: what a viewer of another workspace is told. Reads of the whole installation are anybody's. */
  readonly foreign?: 'PERMISSION_DENIED' | 'OK';
}

const encoded = <T>(codec: { encode(message: T): { finish(): Uint8Array } }, message: T): Buffer =>
  Buffer.from(codec.encode(message).finish());

const name = { workspace: 'team', sandbox: 'box' };
const service = { ...name, service: 'web' };
const gw = gatewayV1;
const sv = supervisorV1;
const drv = driverV1;
const dsc = discoveryV1;

/** By service and method. The test fails for a method that has no row, and for a row without a method. */
export const rows: Readonly<Record<string, Row>> = {
  'GatewayService/RegisterSandbox': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.RegisterSandboxRequest, {
      name: { workspace: 'team', sandbox: 'new' },
      mode: 2,
      poolId: POOL,
      runtimeId: 'r',
    }),
  },
  'GatewayService/ListSandboxes': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.ListSandboxesRequest, { workspace: 'team' }),
  },
  'GatewayService/DeleteSandbox': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.DeleteSandboxRequest, { name }),
  },
  'GatewayService/ExposeService': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.ExposeServiceRequest, { name: service, port: 8_080, policy: undefined }),
  },
  'GatewayService/ListServices': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.ListServicesRequest, name),
  },
  'GatewayService/GetService': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.GetServiceRequest, { name: service }),
  },
  'GatewayService/DeleteService': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.DeleteServiceRequest, { name: service }),
  },
  'GatewayService/BumpCredential': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.BumpCredentialRequest, { name }),
  },
  'GatewayService/GetStatus': { port: 'operator', foreign: 'OK', bytes: encoded(gw.GetStatusRequest, {}) },
  'GatewayService/CheckInstallation': { port: 'operator', foreign: 'OK', bytes: encoded(gw.CheckInstallationRequest, {}) },
  'GatewayService/SetGrant': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.SetGrantRequest, { principal: 'edge', workspaces: ['team'] }),
  },
  'GatewayService/ListGrants': { port: 'operator', foreign: 'PERMISSION_DENIED', bytes: encoded(gw.ListGrantsRequest, {}) },
  'GatewayService/BeginGeneration': {
    port: 'operator',
    foreign: 'PERMISSION_DENIED',
    bytes: encoded(gw.BeginGenerationRequest, {}),
  },
  'SupervisorService/Join': {
    port: 'supervisor',
    bytes: encoded(sv.JoinRequest, {
      request: {
        $case: 'hello',
        value: {
          memberId: 'member-x',
          poolId: POOL,
          credential: CREDENTIAL,
          state: { ready: true, draining: false, appPort: 8_443, capacity: 1 },
        },
      },
    }),
  },
  'SupervisorService/Session': {
    port: 'supervisor',
    bytes: encoded(sv.SessionRequest, {
      request: {
        $case: 'hello',
        value: { sandboxId: 'none', runtimeId: 'r', memberId: 'member-x', credential: CREDENTIAL, capabilities: undefined },
      },
    }),
  },
  'SupervisorService/PollConfiguration': {
    port: 'supervisor',
    bytes: encoded(sv.PollConfigurationRequest, {
      sessionId: 's',
      sandboxId: 'none',
      memberId: 'member-x',
      credential: CREDENTIAL,
      knownRevision: 0n,
      knownHash: '',
    }),
  },
  'ComputeDriverService/CheckSelf': { port: 'driver', bytes: encoded(drv.CheckSelfRequest, {}) },
  'ComputeDriverService/GetCapabilities': { port: 'driver', bytes: encoded(drv.GetCapabilitiesRequest, {}) },
  'ComputeDriverService/GetSandbox': { port: 'driver', bytes: encoded(drv.GetSandboxRequest, name) },
  'ComputeDriverService/ListSandboxes': { port: 'driver', bytes: encoded(drv.ListSandboxesRequest, {}) },
  'ComputeDriverService/WatchSandboxes': { port: 'driver', bytes: encoded(drv.WatchSandboxesRequest, {}) },
  'ComputeDriverService/AuthenticateSupervisor': {
    port: 'driver',
    bytes: encoded(drv.AuthenticateSupervisorRequest, { credential: CREDENTIAL }),
  },
  'ComputeDriverAppEndpointsService/ResolveSupervisorAppEndpoint': {
    port: 'driver',
    bytes: encoded(drv.ResolveSupervisorAppEndpointRequest, {
      poolId: POOL,
      memberId: 'member-x',
      supervisorUid: 'member-1',
      appPort: 8_443,
    }),
  },
  'DiscoveryService/Watch': {
    port: 'discovery',
    bytes: encoded(dsc.WatchRequest, { request: { $case: 'start', value: { workspaces: ['team'], resumeToken: '' } } }),
  },
  'DiscoveryService/GetSnapshot': {
    port: 'discovery',
    bytes: encoded(dsc.GetSnapshotRequest, { workspaces: ['team'] }),
  },
  'DiscoveryService/Resolve': {
    port: 'discovery',
    bytes: encoded(dsc.ResolveRequest, { host: 'team--box--web.apps.localhost' }),
  },
  'DiscoveryService/Explain': {
    port: 'discovery',
    bytes: encoded(dsc.ExplainRequest, { host: 'team--box--web.apps.localhost', principal: '' }),
  },
  'DiscoveryService/GetStatus': { port: 'discovery', bytes: encoded(dsc.GetStatusRequest, {}) },
};
