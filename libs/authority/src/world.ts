import type {
  Configuration,
  CredentialEpoch,
  GatewayId,
  Generation,
  MemberId,
  PoolId,
  SandboxId,
  SandboxName,
  StoreRevision,
  WorkspaceId,
} from '@sallyport/model';
import type {
  GatewayRecord,
  Grant,
  Held,
  Installation,
  MemberRecord,
  Ownership,
  RenewalVector,
  SandboxRecord,
  SessionRecord,
  Successor,
} from './records.ts';

/** Which record, by its identities. */
export type RecordKey =
  | { readonly kind: 'generation' }
  | { readonly kind: 'gateway'; readonly gatewayId: GatewayId }
  | { readonly kind: 'member'; readonly poolId: PoolId; readonly memberId: MemberId }
  | { readonly kind: 'sandbox'; readonly sandboxId: SandboxId }
  | { readonly kind: 'name'; readonly workspace: WorkspaceId; readonly sandbox: SandboxName }
  | { readonly kind: 'config'; readonly sandboxId: SandboxId }
  | { readonly kind: 'credential'; readonly sandboxId: SandboxId }
  | { readonly kind: 'owner'; readonly sandboxId: SandboxId }
  | { readonly kind: 'session'; readonly sandboxId: SandboxId; readonly memberId: MemberId }
  | { readonly kind: 'successor'; readonly sandboxId: SandboxId }
  | { readonly kind: 'installation'; readonly workspace: WorkspaceId; readonly sandboxId: SandboxId }
  | { readonly kind: 'renewal'; readonly gatewayId: GatewayId; readonly bucket: number }
  | { readonly kind: 'reader'; readonly discoveryId: string }
  | { readonly kind: 'grant'; readonly principal: string };

/** The value of each kind of record. */
export interface RecordValues {
  generation: Generation;
  gateway: GatewayRecord;
  member: MemberRecord;
  sandbox: SandboxRecord;
  name: SandboxId;
  config: Configuration;
  credential: CredentialEpoch;
  owner: Ownership;
  session: SessionRecord;
  successor: Successor;
  installation: Installation;
  renewal: RenewalVector;
  reader: number;
  grant: Grant;
}

export type RecordKind = keyof RecordValues;

type KeyOf<K extends RecordKind> = Extract<RecordKey, { kind: K }>;

/** One change of one record: a new value, or its end. */
export type RecordChange = {
  [K in RecordKind]: { readonly key: KeyOf<K>; readonly held: Held<RecordValues[K]> | undefined };
}[RecordKind];

/** The durable state as one process has seen it, at one revision. Changed only by `apply`. */
export interface World {
  readonly revision: StoreRevision;
  readonly generation: Held<Generation> | undefined;
  readonly gateways: ReadonlyMap<GatewayId, Held<GatewayRecord>>;
  readonly sandboxes: ReadonlyMap<SandboxId, Held<SandboxRecord>>;
  readonly names: ReadonlyMap<string, Held<SandboxId>>;
  readonly configs: ReadonlyMap<SandboxId, Held<Configuration>>;
  readonly credentials: ReadonlyMap<SandboxId, Held<CredentialEpoch>>;
  readonly owners: ReadonlyMap<SandboxId, Held<Ownership>>;
  readonly installations: ReadonlyMap<SandboxId, Held<Installation>>;
  readonly successors: ReadonlyMap<SandboxId, Held<Successor>>;
  readonly grants: ReadonlyMap<string, Held<Grant>>;
  members(poolId: PoolId): ReadonlyMap<MemberId, Held<MemberRecord>>;
  pools(): Iterable<PoolId>;
  sandboxesOf(poolId: PoolId): ReadonlySet<SandboxId>;
  /** How many sandboxes a member owns or is offered. */
  ownedCount(memberId: MemberId): number;
  session(sandboxId: SandboxId, memberId: MemberId): Held<SessionRecord> | undefined;
  sessionsOf(sandboxId: SandboxId): ReadonlyMap<MemberId, Held<SessionRecord>>;
  /** Sandboxes that have any session on record, also after their own end. */
  sessionedSandboxes(): Iterable<SandboxId>;
  /** Gateways that have any renewal on record, also after their own end. */
  renewingGateways(): Iterable<GatewayId>;
  renewals(gatewayId: GatewayId): ReadonlyMap<number, Held<RenewalVector>>;
  apply(changes: readonly RecordChange[], revision: StoreRevision): void;
}

export const nameKey = (workspace: WorkspaceId, sandbox: SandboxName): string => `${workspace}/${sandbox}`;

const NONE: ReadonlyMap<never, never> = new Map<never, never>();
const NO_IDS: ReadonlySet<never> = new Set<never>();

export function createWorld(): World {
  let revision = 0n as StoreRevision;
  let generation: Held<Generation> | undefined;
  const gateways = new Map<GatewayId, Held<GatewayRecord>>();
  const sandboxes = new Map<SandboxId, Held<SandboxRecord>>();
  const names = new Map<string, Held<SandboxId>>();
  const configs = new Map<SandboxId, Held<Configuration>>();
  const credentials = new Map<SandboxId, Held<CredentialEpoch>>();
  const owners = new Map<SandboxId, Held<Ownership>>();
  const installations = new Map<SandboxId, Held<Installation>>();
  const successors = new Map<SandboxId, Held<Successor>>();
  const grants = new Map<string, Held<Grant>>();
  const members = new Map<PoolId, Map<MemberId, Held<MemberRecord>>>();
  const sessions = new Map<SandboxId, Map<MemberId, Held<SessionRecord>>>();
  const renewals = new Map<GatewayId, Map<number, Held<RenewalVector>>>();
  const byPool = new Map<PoolId, Set<SandboxId>>();
  const owned = new Map<MemberId, number>();

  const count = (held: Held<Ownership> | undefined, by: number): void => {
    const memberId = held?.value.kind === 'owned' ? held.value.by : held?.value.kind === 'offered' ? held.value.to : undefined;
    if (memberId === undefined) return;
    const next = (owned.get(memberId) ?? 0) + by;
    setOrDelete(owned, memberId, next === 0 ? undefined : next);
  };

  const setSandbox = (sandboxId: SandboxId, held: Held<SandboxRecord> | undefined): void => {
    const before = sandboxes.get(sandboxId);
    if (before !== undefined) {
      const pool = byPool.get(before.value.poolId);
      pool?.delete(sandboxId);
      if (pool?.size === 0) byPool.delete(before.value.poolId);
    }
    setOrDelete(sandboxes, sandboxId, held);
    if (held === undefined) return;
    const pool = byPool.get(held.value.poolId) ?? new Set<SandboxId>();
    byPool.set(held.value.poolId, pool.add(sandboxId));
  };

  const change = ({ key, held }: RecordChange): void => {
    switch (key.kind) {
      case 'generation':
        generation = held as Held<Generation> | undefined;
        break;
      case 'gateway':
        setOrDelete(gateways, key.gatewayId, held as Held<GatewayRecord> | undefined);
        break;
      case 'member':
        setNested(members, key.poolId, key.memberId, held as Held<MemberRecord> | undefined);
        break;
      case 'sandbox':
        setSandbox(key.sandboxId, held as Held<SandboxRecord> | undefined);
        break;
      case 'name':
        setOrDelete(names, nameKey(key.workspace, key.sandbox), held as Held<SandboxId> | undefined);
        break;
      case 'config':
        setOrDelete(configs, key.sandboxId, held as Held<Configuration> | undefined);
        break;
      case 'credential':
        setOrDelete(credentials, key.sandboxId, held as Held<CredentialEpoch> | undefined);
        break;
      case 'owner':
        count(owners.get(key.sandboxId), -1);
        count(held as Held<Ownership> | undefined, 1);
        setOrDelete(owners, key.sandboxId, held as Held<Ownership> | undefined);
        break;
      case 'session':
        setNested(sessions, key.sandboxId, key.memberId, held as Held<SessionRecord> | undefined);
        break;
      case 'installation':
        setOrDelete(installations, key.sandboxId, held as Held<Installation> | undefined);
        break;
      case 'successor':
        setOrDelete(successors, key.sandboxId, held as Held<Successor> | undefined);
        break;
      case 'renewal':
        setNested(renewals, key.gatewayId, key.bucket, held as Held<RenewalVector> | undefined);
        break;
      case 'grant':
        setOrDelete(grants, key.principal, held as Held<Grant> | undefined);
        break;
      case 'reader':
        break;
    }
  };

  return {
    get revision() {
      return revision;
    },
    get generation() {
      return generation;
    },
    gateways,
    sandboxes,
    names,
    configs,
    credentials,
    owners,
    installations,
    successors,
    grants,
    members: (poolId) => members.get(poolId) ?? NONE,
    pools: () => members.keys(),
    ownedCount: (memberId) => owned.get(memberId) ?? 0,
    sandboxesOf: (poolId) => byPool.get(poolId) ?? NO_IDS,
    session: (sandboxId, memberId) => sessions.get(sandboxId)?.get(memberId),
    sessionsOf: (sandboxId) => sessions.get(sandboxId) ?? NONE,
    sessionedSandboxes: () => sessions.keys(),
    renewingGateways: () => renewals.keys(),
    renewals: (gatewayId) => renewals.get(gatewayId) ?? NONE,
    apply(changes, at) {
      for (const each of changes) change(each);
      revision = at;
    },
  };
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function setNested<A, B, V>(map: Map<A, Map<B, V>>, outer: A, inner: B, value: V | undefined): void {
  const nested = map.get(outer) ?? new Map<B, V>();
  setOrDelete(nested, inner, value);
  if (nested.size === 0) map.delete(outer);
  else map.set(outer, nested);
}
