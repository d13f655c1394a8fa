import { formatAddress, formatServiceRef } from '@sallyport/model';
import { type discoveryV1, gatewayV1, type PublishedRecord, supervisorV1 } from '@sallyport/wire';

/** What `-o json` shows, and what tables are made of: field names are part of the interface, states are lower-case words. */

const { ServiceState } = gatewayV1;
const STATES = {
  [ServiceState.SERVICE_STATE_UNSPECIFIED]: 'unknown',
  [ServiceState.SERVICE_STATE_DECLARED]: 'declared',
  [ServiceState.SERVICE_STATE_REJECTED]: 'rejected',
  [ServiceState.SERVICE_STATE_INSTALLED]: 'installed',
  [ServiceState.SERVICE_STATE_PUBLISHED]: 'published',
  [ServiceState.SERVICE_STATE_EXPIRED]: 'expired',
  [ServiceState.SERVICE_STATE_WITHDRAWN]: 'withdrawn',
} as const satisfies Record<gatewayV1.ServiceState, string>;

export type State = (typeof STATES)[gatewayV1.ServiceState];

/** A gateway of a later release may say what this one has no word for. */
export const stateOf = ({ state }: gatewayV1.Service): State => STATES[state] ?? 'unknown';

const ORIGINS: Readonly<Record<number, string>> = {
  [supervisorV1.OriginPolicy.ORIGIN_POLICY_MATCH_HOST]: 'match-host',
  [supervisorV1.OriginPolicy.ORIGIN_POLICY_STRIP]: 'strip',
};

export const serviceView = (service: gatewayV1.Service) => ({
  workspace: service.name?.workspace ?? '',
  sandbox: service.name?.sandbox ?? '',
  service: service.name?.service ?? '',
  port: service.port,
  host: service.host,
  url: service.url,
  state: stateOf(service),
  detail: service.detail,
  endpoint: service.endpoint,
  configRevision: service.configRevision,
  sinceMs: Number(service.sinceMs),
  policy: {
    host: service.policy?.host || 'public',
    origin: ORIGINS[service.policy?.origin ?? 0] ?? 'keep',
    cookies: service.policy?.cookies === supervisorV1.CookiePolicy.COOKIE_POLICY_PASS ? 'pass' : 'isolate',
  },
});

export const sandboxView = (sandbox: gatewayV1.Sandbox) => ({
  workspace: sandbox.name?.workspace ?? '',
  sandbox: sandbox.name?.sandbox ?? '',
  sandboxId: sandbox.sandboxId,
  mode: sandbox.mode === supervisorV1.Mode.MODE_SHARED ? 'shared' : 'dedicated',
  poolId: sandbox.poolId,
  runtimeId: sandbox.runtimeId,
  serviceCount: sandbox.serviceCount,
});

export const recordView = (record: discoveryV1.Record) => ({
  recordId: record.recordId,
  workspace: record.workspace,
  sandbox: record.sandbox,
  service: record.service,
  host: record.host,
  url: record.url,
  endpoint: record.endpoint === undefined ? null : { ...record.endpoint },
  ttlMs: record.ttlMs,
  ownerEpoch: record.ownerEpoch,
  configRevision: record.configRevision,
});

/** As people type it. */
export const refOf = (name: { readonly workspace: string; readonly sandbox: string; readonly service?: string }): string =>
  formatServiceRef({ service: '', ...name } as never);

/** As `recordView`, of a record that was read from a watch. How long it lives changes all the time, so it is left out. */
export const publishedView = ({ renewedBy: _renewedBy, endpoint, ...record }: PublishedRecord) => ({
  ...record,
  endpoint: { ...endpoint },
});

export const endpointText = ({ address, port }: { readonly address: string; readonly port: number }): string =>
  formatAddress({ host: address, port });
