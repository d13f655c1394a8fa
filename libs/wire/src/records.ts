import type { GatewayRecord, Grant, MemberRecord, Mode, SandboxRecord, SessionRecord } from '@sallyport/authority';
import {
  type Configuration,
  type CredentialEpoch,
  type FollowedDeclarations,
  type GatewayEpoch,
  type GatewayId,
  type Generation,
  type JoinId,
  type PoolId,
  type RuntimeId,
  type SandboxId,
  SERVICES_PER_SANDBOX_MAX,
  type SessionId,
} from '@sallyport/model';
import type { Check } from './check.ts';
import { configurationMessage, nameIn, readConfiguration } from './configuration.ts';
import * as pb from './gen/sallyport/store/v1/records.ts';
import { Mode as ModeNumber } from './gen/sallyport/supervisor/v1/supervisor.ts';
import { recordCodec } from './record-codec.ts';

export const ADDRESS_LENGTH_MAX = 512;
export const VERSION_LENGTH_MAX = 128;
/** Workspaces in one grant. */
export const GRANT_WORKSPACES_MAX = 10_000;
export const CAPACITY_MAX = 1_000_000;

const MODES = { dedicated: ModeNumber.MODE_DEDICATED, shared: ModeNumber.MODE_SHARED } as const;
export const modeNumber = (mode: Mode): ModeNumber => MODES[mode];
export const readMode = (check: Check, field: string, number: ModeNumber): Mode =>
  nameIn<Mode, ModeNumber>(MODES, number) ?? check.fail(`${field} is not known`);

/** `meta/generation` */
export const { encode: encodeGeneration, decode: decodeGeneration } = recordCodec<Generation, pb.GenerationRecord>(
  pb.GenerationRecord,
  (generation, opId) => ({ opId, generation }),
  (check, message) => check.id('generation', message.generation),
);

/** `gateway/{gatewayId}` */
export const { encode: encodeGateway, decode: decodeGateway } = recordCodec<GatewayRecord, pb.GatewayRecord>(
  pb.GatewayRecord,
  ({ address, version }, opId) => ({ opId, address, version }),
  (check, message) => ({
    address: check.text('address', message.address, ADDRESS_LENGTH_MAX),
    version: check.text('version', message.version, VERSION_LENGTH_MAX),
  }),
);

/** `member/{poolId}/{memberId}` */
export const { encode: encodeMember, decode: decodeMember } = recordCodec<MemberRecord, pb.MemberRecord>(
  pb.MemberRecord,
  (record, opId) => ({ opId, ...record }),
  (check, message) => ({
    supervisorUid: check.id('supervisor_uid', message.supervisorUid),
    ready: message.ready,
    draining: message.draining,
    appPort: check.portOrZero('app_port', message.appPort),
    capacity: check.atMost('capacity', message.capacity, CAPACITY_MAX),
    gatewayId: check.id<GatewayId>('gateway_id', message.gatewayId),
    gatewayEpoch: check.epoch<GatewayEpoch>('gateway_epoch', message.gatewayEpoch),
    joinId: check.id<JoinId>('join_id', message.joinId),
  }),
);

/** `sandbox/{sandboxId}` */
export const { encode: encodeSandbox, decode: decodeSandbox } = recordCodec<SandboxRecord, pb.SandboxRecord>(
  pb.SandboxRecord,
  (record, opId) => ({ opId, ...record, mode: modeNumber(record.mode), boundaryAddress: record.boundaryAddress ?? '' }),
  (check, message) => ({
    workspace: check.workspace('workspace', message.workspace),
    sandbox: check.sandbox('sandbox', message.sandbox),
    mode: readMode(check, 'mode', message.mode),
    poolId: check.id<PoolId>('pool_id', message.poolId),
    runtimeId: check.id<RuntimeId>('runtime_id', message.runtimeId),
    ...boundaryIn(check, message.boundaryAddress),
  }),
);

/** Host of a boundary whose workload has no address yet; a name that never resolves (RFC 2606 section 2). */
export const UNPLACED_HOST = 'unplaced.invalid';

/** host:port; absent where there is none. */
export const boundaryIn = (check: Check, address: string): { readonly boundaryAddress?: string } => {
  if (address === '') return {};
  if (!/^[^\s/]+:\d{1,5}$/.test(address)) check.fail('boundary_address is not host:port');
  return { boundaryAddress: check.text('boundary_address', address, ADDRESS_LENGTH_MAX) };
};

/** `name/{workspace}/{sandbox}` */
export const { encode: encodeName, decode: decodeName } = recordCodec<SandboxId, pb.NameRecord>(
  pb.NameRecord,
  (sandboxId, opId) => ({ opId, sandboxId }),
  (check, message) => check.id<SandboxId>('sandbox_id', message.sandboxId),
);

/** `config/{sandboxId}` */
export const { encode: encodeConfiguration, decode: decodeConfiguration } = recordCodec<Configuration, pb.ConfigurationRecord>(
  pb.ConfigurationRecord,
  (configuration, opId) => ({
    opId,
    configuration: configurationMessage(configuration),
    followed: followedMessage(configuration.followed),
  }),
  (check, message) => {
    const configuration = readConfiguration(check, 'configuration', message.configuration);
    return message.followed === undefined ? configuration : { ...configuration, followed: readFollowed(check, message.followed) };
  },
);

const followedMessage = (followed: FollowedDeclarations | undefined): pb.FollowedDeclarations | undefined =>
  followed === undefined ? undefined : { registered: followed.registered, services: [...followed.services] };

const readFollowed = (check: Check, { registered, services }: pb.FollowedDeclarations): FollowedDeclarations => ({
  registered,
  services: check.list('followed.services', services, SERVICES_PER_SANDBOX_MAX, (service) =>
    check.service('followed.services', service),
  ),
});

/** `credential/{sandboxId}` */
export const { encode: encodeCredential, decode: decodeCredential } = recordCodec<CredentialEpoch, pb.CredentialRecord>(
  pb.CredentialRecord,
  (credentialEpoch, opId) => ({ opId, credentialEpoch }),
  (check, message) => check.epoch<CredentialEpoch>('credential_epoch', message.credentialEpoch),
);

/** `session/{sandboxId}/{memberId}` */
export const { encode: encodeSession, decode: decodeSession } = recordCodec<SessionRecord, pb.SessionRecord>(
  pb.SessionRecord,
  (record, opId) => ({ opId, ...record, supervisorUid: record.supervisorUid ?? '' }),
  (check, message) => ({
    gatewayId: check.id<GatewayId>('gateway_id', message.gatewayId),
    gatewayEpoch: check.epoch<GatewayEpoch>('gateway_epoch', message.gatewayEpoch),
    sessionId: check.id<SessionId>('session_id', message.sessionId),
    runtimeId: check.id<RuntimeId>('runtime_id', message.runtimeId),
    credentialEpoch: check.epoch<CredentialEpoch>('credential_epoch', message.credentialEpoch),
    ...(message.supervisorUid === '' ? {} : { supervisorUid: check.id('supervisor_uid', message.supervisorUid) }),
  }),
);

/** `reader/{discoveryId}`: the sequence of a discovery replica's own echo. */
export const { encode: encodeReader, decode: decodeReader } = recordCodec<number, pb.ReaderRecord>(
  pb.ReaderRecord,
  (sequence, opId) => ({ opId, sequence: BigInt(sequence) }),
  (check, message) => check.sequence('sequence', message.sequence),
);

/** `grant/{principal}` */
export const { encode: encodeGrant, decode: decodeGrant } = recordCodec<Grant, pb.GrantRecord>(
  pb.GrantRecord,
  ({ workspaces, grantEpoch }, opId) => ({ opId, workspaces: [...workspaces], grantEpoch }),
  (check, message) => ({
    workspaces: check.list('workspaces', message.workspaces, GRANT_WORKSPACES_MAX, (workspace) =>
      check.workspace('workspaces', workspace),
    ),
    grantEpoch: check.epoch('grant_epoch', message.grantEpoch),
  }),
);
