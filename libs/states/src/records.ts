import {
  createWorld,
  type MemberRecord,
  type RecordChange,
  type RecordKey,
  type ReportingSession,
  type World,
} from '@sallyport/authority';
import {
  type ConfigRevision,
  type Configuration,
  type CredentialEpoch,
  DEFAULT_POLICY,
  type GatewayEpoch,
  type GatewayId,
  type Generation,
  type Host,
  type JoinId,
  type MemberId,
  type PoolId,
  type RuntimeId,
  type SandboxId,
  type SandboxName,
  type ServiceName,
  type SessionId,
  type StoreRevision,
  type WorkspaceId,
} from '@sallyport/model';

export const SANDBOX = 'sb' as SandboxId;
export const POOL = 'pool' as PoolId;
export const RUNTIME = 'r0' as RuntimeId;
export const MEMBERS = ['m0', 'm1'] as unknown as readonly [MemberId, MemberId];
export const GATEWAYS = ['g0', 'g1'] as unknown as readonly [GatewayId, GatewayId];

/** The records that stay as they are while ownership moves: member i has its Join and its session at gateway i. */
export interface Records {
  readonly world: World;
  readonly configuration: Configuration;
  readonly sessions: readonly [ReportingSession, ReportingSession];
}

const CREDENTIAL = 1n as CredentialEpoch;
const GATEWAY_EPOCH = 1n as GatewayEpoch;

export function createRecords(mode: 'shared' | 'dedicated'): Records {
  const world = createWorld();
  let revision = 0n as StoreRevision;
  const put = (key: RecordKey, value: unknown): void => {
    revision = (revision + 1n) as StoreRevision;
    world.apply([{ key, held: { value, createRevision: revision, modRevision: revision } } as RecordChange], revision);
  };
  const named = { workspace: 'team' as WorkspaceId, sandbox: 'demo' as SandboxName };
  const services = [
    { service: 'web' as ServiceName, host: 'team--demo--web.apps.test' as Host, port: 8_080, policy: DEFAULT_POLICY },
  ];
  const configuration = { sandboxId: SANDBOX, ...named, revision: 1n as ConfigRevision, hash: 'one', services };
  put({ kind: 'generation' }, 'one' as Generation);
  put({ kind: 'sandbox', sandboxId: SANDBOX }, { ...named, mode, poolId: POOL, runtimeId: RUNTIME });
  put({ kind: 'config', sandboxId: SANDBOX }, configuration);
  put({ kind: 'credential', sandboxId: SANDBOX }, CREDENTIAL);
  for (const gatewayId of GATEWAYS) put({ kind: 'gateway', gatewayId }, { address: gatewayId, version: '' });

  function join(index: 0 | 1): ReportingSession {
    const [memberId, gatewayId, sessionId] = [MEMBERS[index], GATEWAYS[index], `s${index}` as SessionId];
    const by = { gatewayId, gatewayEpoch: GATEWAY_EPOCH };
    const member: MemberRecord = {
      ...by,
      supervisorUid: memberId,
      ready: true,
      draining: false,
      appPort: 8_443,
      capacity: 1,
      joinId: `j${index}` as JoinId,
    };
    put({ kind: 'member', poolId: POOL, memberId }, member);
    put({ kind: 'session', sandboxId: SANDBOX, memberId }, { ...by, sessionId, runtimeId: RUNTIME, credentialEpoch: CREDENTIAL });
    return { sandboxId: SANDBOX, memberId, sessionId, credentialEpoch: CREDENTIAL };
  }
  const sessions = [join(0), join(1)] as const;
  return { world, configuration, sessions };
}
