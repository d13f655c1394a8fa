import { isIP } from 'node:net';
import type { Endpoint, FenceTuple, Installation, InstalledRoute, Renewal, RenewalVector, Successor } from '@sallyport/authority';
import {
  type ConfigRevision,
  type GatewayEpoch,
  type GatewayId,
  type Generation,
  type MemberId,
  type OwnerEpoch,
  SERVICES_PER_SANDBOX_MAX,
  type SessionId,
  type StoreRevision,
} from '@sallyport/model';
import type { Check } from './check.ts';
import * as pb from './gen/sallyport/store/v1/records.ts';
import type { InstalledRoute as RouteMessage } from './gen/sallyport/supervisor/v1/supervisor.ts';
import { recordCodec } from './record-codec.ts';

/** Sandboxes in one renewal vector. */
export const RENEWALS_PER_VECTOR_MAX = 1_000;
/** No evidence lives longer than a serving lease; milliseconds. A greater number is a mistake, not a longer life. */
export const REMAINING_MS_MAX = 15_000;

function installationMessage(installation: Installation, opId: string): pb.InstallationRecord {
  const { sandbox, routes, endpoint, fence, memberId, ownerEpoch, configRevision, renewal } = installation;
  return {
    opId,
    sandbox,
    routes: routes.map((route) => ({ ...route })),
    ...endpoint,
    fence: { ...fence },
    memberId,
    ownerEpoch,
    configRevision,
    ...renewalMessage(renewal),
    asOf: renewal.asOf,
    gatewayId: renewal.gatewayId,
    gatewayEpoch: renewal.gatewayEpoch,
  };
}

const readInstallation = (check: Check, message: pb.InstallationRecord): Installation => ({
  sandbox: check.sandbox('sandbox', message.sandbox),
  routes: readRoutes(check, 'routes', message.routes),
  endpoint: readEndpoint(check, 'endpoint', message),
  fence: readFence(check, check.required('fence', message.fence)),
  memberId: check.id<MemberId>('member_id', message.memberId),
  ownerEpoch: check.epoch<OwnerEpoch>('owner_epoch', message.ownerEpoch),
  configRevision: check.epoch<ConfigRevision>('config_revision', message.configRevision),
  renewal: {
    ...readRenewal(check, message),
    asOf: check.epoch<StoreRevision>('as_of', message.asOf),
    gatewayId: check.id<GatewayId>('gateway_id', message.gatewayId),
    gatewayEpoch: check.epoch<GatewayEpoch>('gateway_epoch', message.gatewayEpoch),
  },
});

/** `installation/{workspace}/{sandboxId}` */
export const { encode: encodeInstallation, decode: decodeInstallation } = recordCodec<Installation, pb.InstallationRecord>(
  pb.InstallationRecord,
  installationMessage,
  readInstallation,
);

/** `successor/{sandboxId}` */
export const { encode: encodeSuccessor, decode: decodeSuccessor } = recordCodec<Successor, pb.SuccessorRecord>(
  pb.SuccessorRecord,
  ({ follows, installation }, opId) => ({ opId, follows, installation: installationMessage(installation, opId) }),
  (check, message) => ({
    follows: check.epoch<OwnerEpoch>('follows', message.follows),
    installation: readInstallation(check, check.required('installation', message.installation)),
  }),
);

/** `renewal/{gatewayId}/{bucket}` */
export const { encode: encodeRenewals, decode: decodeRenewals } = recordCodec<RenewalVector, pb.RenewalRecord>(
  pb.RenewalRecord,
  ({ gatewayEpoch, asOf, renewals }, opId) => ({ opId, gatewayEpoch, asOf, renewals: renewals.map(renewalMessage) }),
  (check, message) => ({
    gatewayEpoch: check.epoch<GatewayEpoch>('gateway_epoch', message.gatewayEpoch),
    asOf: check.epoch<StoreRevision>('as_of', message.asOf),
    renewals: check.list('renewals', message.renewals, RENEWALS_PER_VECTOR_MAX, (renewal) => readRenewal(check, renewal)),
  }),
);

const renewalMessage = ({ sessionId, reportSequence, remainingMs }: Renewal): pb.Renewal => ({
  sessionId,
  reportSequence: BigInt(reportSequence),
  remainingMs,
});

const readRenewal = (check: Check, message: pb.Renewal): Renewal => ({
  sessionId: check.id<SessionId>('session_id', message.sessionId),
  reportSequence: check.sequence('report_sequence', message.reportSequence),
  remainingMs: check.atMost('remaining_ms', message.remainingMs, REMAINING_MS_MAX),
});

const readFence = (check: Check, message: pb.FenceTuple): FenceTuple => ({
  generation: check.id<Generation>('fence.generation', message.generation),
  owner: check.epochOrZero<StoreRevision>('fence.owner', message.owner),
  session: check.epoch<StoreRevision>('fence.session', message.session),
  sandbox: check.epoch<StoreRevision>('fence.sandbox', message.sandbox),
  config: check.epoch<StoreRevision>('fence.config', message.config),
  credential: check.epoch<StoreRevision>('fence.credential', message.credential),
  memberCreated: check.epoch<StoreRevision>('fence.member_created', message.memberCreated),
});

export function readEndpoint(check: Check, field: string, message: Endpoint): Endpoint {
  if (isIP(message.address) === 0) check.fail(`${field}.address is not an IP address`);
  return {
    address: message.address,
    port: check.port(`${field}.port`, message.port),
    podUid: check.id(`${field}.pod_uid`, message.podUid),
  };
}

export function readRoutes(check: Check, field: string, messages: readonly RouteMessage[]): InstalledRoute[] {
  const routes = check.list(field, messages, SERVICES_PER_SANDBOX_MAX, (route) => ({
    service: check.service(`${field}.service`, route.service),
    host: check.host(`${field}.host`, route.host),
    port: check.port(`${field}.port`, route.port),
  }));
  if (new Set(routes.map(({ host }) => host)).size < routes.length) check.fail(`${field} names a host twice`);
  return routes;
}
