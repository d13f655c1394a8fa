import { createWorld, type Installation, LEASE_MS, type RecordChange, type World } from '@sallyport/authority';
import { type Instant, later, type StoreRevision, type WorkspaceId } from '@sallyport/model';
import { type Catalog, createCatalog } from '../catalog.ts';
import { createEvidence, type Evidence } from '../evidence.ts';
import { createHistory, type History } from '../history.ts';
import type { Move } from '../listing.ts';

/** Names and brands are checked where they come in; here plain text will do. */
export const plain = (value: unknown): never => value as never;
export const at = (ms: number): Instant => ms as Instant;

/** What gateways do to one sandbox, and its records in the store as one commit after another. */
export interface Script {
  publish(sandbox: string, service?: string): RecordChange[];
  withdraw(sandbox: string): RecordChange[];
  /** Each breaks one thing that the record rests on. */
  readonly breaks: Readonly<Record<string, (sandbox: string) => RecordChange[]>>;
  readonly revision: StoreRevision;
}

export const SANDBOXES = ['a1', 'a2', 'b1', 'b2', 'c1'] as const;
/** The first letter of a sandbox is its workspace. */
export const workspaceOf = (sandbox: string): WorkspaceId => plain(sandbox[0]);
export const gatewayOf = (sandbox: string): string => (sandbox.endsWith('1') ? 'g1' : 'g2');

export interface Lives {
  /** Until when the authority behind a session really is there, by the one clock of the test. */
  readonly truth: Map<string, Instant>;
}

export function createScript(now: () => Instant): Script & Lives {
  let revision = 10n;
  let session = 0;
  const truth = new Map<string, Instant>();
  const next = (): bigint => {
    revision += 1n;
    return revision;
  };
  const change = (key: object, value: unknown, created?: bigint): RecordChange => {
    const mod = next();
    return plain({ key, held: value === undefined ? undefined : { value, modRevision: mod, createRevision: created ?? mod } });
  };
  const on = (kind: string) => (sandbox: string, value?: unknown) => [change({ kind, sandboxId: sandbox }, value)];

  return {
    truth,
    get revision() {
      return revision as StoreRevision;
    },
    publish(sandbox, service = 'web') {
      session += 1;
      const sessionId = `s${session}`;
      const memberId = `m-${sandbox}`;
      const workspace = workspaceOf(sandbox);
      const gatewayId = gatewayOf(sandbox);
      const host = `${workspace}--${sandbox}--${service}.apps.test`;
      const asOf = revision;
      const records = {
        generation: change({ kind: 'generation' }, 'gen'),
        sandbox: change(
          { kind: 'sandbox', sandboxId: sandbox },
          { workspace, sandbox, poolId: 'p', mode: 'shared', runtimeId: 'r' },
        ),
        name: change({ kind: 'name', workspace, sandbox }, sandbox),
        config: change(
          { kind: 'config', sandboxId: sandbox },
          { revision: 1n, workspace, sandbox, services: [{ service, host, port: 80 }] },
        ),
        credential: change({ kind: 'credential', sandboxId: sandbox }, 1n),
        owner: change({ kind: 'owner', sandboxId: sandbox }, { kind: 'owned', epoch: BigInt(session), by: memberId }),
        session: change(
          { kind: 'session', sandboxId: sandbox, memberId },
          { gatewayId, gatewayEpoch: 9n, sessionId, runtimeId: 'r', credentialEpoch: 1n },
        ),
        member: change({ kind: 'member', poolId: 'p', memberId }, { ready: true, appPort: 8443 }),
      };
      const revisionOf = (each: RecordChange): bigint => each.held?.modRevision ?? 0n;
      const installation: Installation = plain({
        sandbox,
        routes: [{ service, host, port: 80 }],
        endpoint: { address: '10.0.0.7', port: 8443, podUid: sessionId },
        fence: {
          generation: 'gen',
          owner: revisionOf(records.owner),
          session: revisionOf(records.session),
          sandbox: revisionOf(records.sandbox),
          config: revisionOf(records.config),
          credential: revisionOf(records.credential),
          memberCreated: records.member.held?.createRevision,
        },
        memberId,
        ownerEpoch: BigInt(session),
        configRevision: 1n,
        renewal: { sessionId, reportSequence: 1, remainingMs: LEASE_MS, asOf, gatewayId, gatewayEpoch: 9n },
      });
      truth.set(sessionId, later(now(), LEASE_MS));
      return [...Object.values(records), change({ kind: 'installation', workspace, sandboxId: sandbox }, installation)];
    },
    withdraw: (sandbox) => [change({ kind: 'installation', workspace: workspaceOf(sandbox), sandboxId: sandbox }, undefined)],
    breaks: {
      owner: (sandbox) => on('owner')(sandbox, { kind: 'released', epoch: 99n }),
      session: (sandbox) => [change({ kind: 'session', sandboxId: sandbox, memberId: `m-${sandbox}` }, undefined)],
      config: (sandbox) => on('config')(sandbox, { services: [] }),
      configChanged: (sandbox) =>
        on('config')(sandbox, { services: [{ service: 'web', host: `${workspaceOf(sandbox)}--${sandbox}--web.apps.test` }] }),
      credential: (sandbox) => on('credential')(sandbox, 2n),
      member: (sandbox) => [change({ kind: 'member', poolId: 'p', memberId: `m-${sandbox}` }, undefined)],
      sandbox: (sandbox) => on('sandbox')(sandbox),
      runtime: (sandbox) => on('sandbox')(sandbox, { workspace: workspaceOf(sandbox), sandbox, poolId: 'p', runtimeId: 'r2' }),
      generation: () => [change({ kind: 'generation' }, 'other')],
    },
  };
}

/** One replica: the records as it has seen them, its own evidence, and what follows. */
export interface Replica {
  readonly world: World;
  readonly evidence: Evidence;
  readonly catalog: Catalog;
  readonly history: History;
  /** `revision`: of the last of these changes. */
  take(changes: readonly RecordChange[], revision: StoreRevision, now: Instant): readonly Move[];
}

export function createReplica(recordsPerPage?: number): Replica {
  const world = createWorld();
  const evidence = createEvidence();
  const catalog = createCatalog(world, evidence, recordsPerPage);
  const history = createHistory();
  history.restart(0n as StoreRevision);
  return {
    world,
    evidence,
    catalog,
    history,
    take(changes, revision, now) {
      world.apply(changes, revision);
      for (const { key, held } of changes)
        if (key.kind === 'installation' && held !== undefined) evidence.published(held.value as Installation);
      const moves = catalog.changed(changes, now);
      history.note(revision, moves);
      return moves;
    },
  };
}
