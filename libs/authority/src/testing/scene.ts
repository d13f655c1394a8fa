import {
  type ConfigRevision,
  type Configuration,
  type ConfiguredService,
  type CredentialEpoch,
  DEFAULT_POLICY,
  type GatewayEpoch,
  type GatewayId,
  type Generation,
  type Host,
  type Instant,
  type JoinId,
  type MemberId,
  type OwnerEpoch,
  type PoolId,
  type RuntimeId,
  type SandboxId,
  type SandboxName,
  type ServiceName,
  type SessionId,
  type StoreRevision,
  type WorkspaceId,
} from '@sallyport/model';
import type { Report, ReportingSession } from '../judge.ts';
import type { Held, MemberRecord, Ownership, SandboxRecord, SessionRecord, Successor } from '../records.ts';
import { createWorld, type RecordChange, type RecordKey, type World } from '../world.ts';

/**
 * For tests: the records of one sandbox `sb` of pool `pool`, members `m0` and `m1` joined at gateway `g0`, and m0 its
 * owner by session `s0`. Each change is a commit of its own, so that revisions move as a store's would.
 */
export interface Scene {
  readonly world: World;
  generation(name: string): void;
  gateway(id: string, stands?: boolean): void;
  sandbox(changes?: Partial<SandboxRecord>): void;
  credential(epoch: bigint): void;
  owner(ownership: Ownership, of?: SandboxId): void;
  successor(successor: Successor): void;
  config(revision: bigint, services?: readonly ConfiguredService[]): Configuration;
  member(id: string, changes?: Partial<MemberRecord>): void;
  leave(id: string): void;
  session(member: string, sessionId: string, changes?: Partial<SessionRecord>): ReportingSession;
  remove(key: RecordKey): void;
  /** What a supervisor with everything right would say, but for `changes`. */
  report(changes?: Partial<Report>): Report;
}

export const SANDBOX = 'sb' as SandboxId;
export const POOL = 'pool' as PoolId;
export const member = (id: string): MemberId => id as MemberId;
export const gateway = (id: string): GatewayId => id as GatewayId;
export const sessionId = (id: string): SessionId => id as SessionId;
export const runtime = (id: string): RuntimeId => id as RuntimeId;
export const epoch = (value: number | bigint): OwnerEpoch => BigInt(value) as OwnerEpoch;
export const at = (ms: number): Instant => ms as Instant;

export const owned = (by: string, value: number): Ownership => ({ kind: 'owned', epoch: epoch(value), by: member(by) });
export const offered = (to: string, value: number): Ownership => ({ kind: 'offered', epoch: epoch(value), to: member(to) });
export const released = (value: number): Ownership => ({ kind: 'released', epoch: epoch(value) });
export const fencing = (from: string, value: number, ownedEpoch: number): Ownership => ({
  kind: 'fencing',
  epoch: epoch(value),
  from: member(from),
  ownedEpoch: epoch(ownedEpoch),
  runtimeId: runtime('r0'),
});

export const service = (name: string, port: number, changes: Partial<ConfiguredService> = {}): ConfiguredService => ({
  service: name as ServiceName,
  host: `team--demo--${name}.apps.test` as Host,
  port,
  policy: DEFAULT_POLICY,
  ...changes,
});

const hashOf = (revision: bigint): string => revision.toString(16).padStart(64, '0');

export function createScene(): Scene {
  const world = createWorld();
  let revision = 0n;
  const created = new Map<string, StoreRevision>();

  function put(key: RecordKey, value: unknown): void {
    revision += 1n;
    const id = JSON.stringify(key);
    const createRevision = created.get(id) ?? (revision as StoreRevision);
    created.set(id, createRevision);
    const held: Held<unknown> = { value, createRevision, modRevision: revision as StoreRevision };
    world.apply([{ key, held } as RecordChange], revision as StoreRevision);
  }

  function remove(key: RecordKey): void {
    revision += 1n;
    created.delete(JSON.stringify(key));
    world.apply([{ key, held: undefined } as RecordChange], revision as StoreRevision);
  }

  const scene: Scene = {
    world,
    generation: (name) => put({ kind: 'generation' }, name as Generation),
    gateway: (id, stands = true) => {
      const key: RecordKey = { kind: 'gateway', gatewayId: gateway(id) };
      if (stands) put(key, { address: `${id}:7443`, version: 'test' });
      else remove(key);
    },
    sandbox: (changes = {}) => {
      const present = world.sandboxes.get(SANDBOX)?.value;
      const record: SandboxRecord = present ?? {
        workspace: 'team' as WorkspaceId,
        sandbox: 'demo' as SandboxName,
        mode: 'shared',
        poolId: POOL,
        runtimeId: runtime('r0'),
      };
      put({ kind: 'sandbox', sandboxId: SANDBOX }, { ...record, ...changes });
    },
    credential: (value) => put({ kind: 'credential', sandboxId: SANDBOX }, value as CredentialEpoch),
    owner: (ownership, of = SANDBOX) => put({ kind: 'owner', sandboxId: of }, ownership),
    successor: (successor) => put({ kind: 'successor', sandboxId: SANDBOX }, successor),
    config: (configRevision, services = [service('web', 8080)]) => {
      const configuration: Configuration = {
        sandboxId: SANDBOX,
        workspace: 'team' as WorkspaceId,
        sandbox: 'demo' as SandboxName,
        revision: configRevision as ConfigRevision,
        hash: hashOf(configRevision),
        services,
      };
      put({ kind: 'config', sandboxId: SANDBOX }, configuration);
      return configuration;
    },
    member: (id, changes = {}) => {
      const key = { kind: 'member', poolId: POOL, memberId: member(id) } as const;
      const record: MemberRecord = world.members(POOL).get(member(id))?.value ?? {
        supervisorUid: `uid-${id}`,
        ready: true,
        draining: false,
        appPort: 8443,
        capacity: 10,
        gatewayId: gateway('g0'),
        gatewayEpoch: 1n as GatewayEpoch,
        joinId: `join-${id}` as JoinId,
      };
      put(key, { ...record, ...changes });
    },
    leave: (id) => remove({ kind: 'member', poolId: POOL, memberId: member(id) }),
    session: (by, id, changes = {}) => {
      const record: SessionRecord = {
        gatewayId: gateway('g0'),
        gatewayEpoch: 1n as GatewayEpoch,
        sessionId: sessionId(id),
        runtimeId: world.sandboxes.get(SANDBOX)?.value.runtimeId ?? runtime('r0'),
        credentialEpoch: world.credentials.get(SANDBOX)?.value ?? (1n as CredentialEpoch),
        ...changes,
      };
      put({ kind: 'session', sandboxId: SANDBOX, memberId: member(by) }, record);
      return { sandboxId: SANDBOX, memberId: member(by), sessionId: record.sessionId, credentialEpoch: record.credentialEpoch };
    },
    remove,
    report: (changes = {}) => {
      const configuration = world.configs.get(SANDBOX)?.value;
      return {
        sessionId: sessionId('s0'),
        runtimeId: runtime('r0'),
        configRevision: configuration?.revision ?? (0n as ConfigRevision),
        configHash: configuration?.hash ?? '',
        ownerEpoch: epoch(7),
        routes: (configuration?.services ?? []).map((each) => ({ service: each.service, host: each.host, port: each.port })),
        ready: true,
        ...changes,
      };
    },
  };
  scene.generation('gen-1');
  scene.gateway('g0');
  scene.sandbox();
  scene.credential(1n);
  scene.config(1n);
  scene.member('m0');
  scene.member('m1');
  scene.owner(owned('m0', 7));
  scene.session('m0', 's0');
  return scene;
}
