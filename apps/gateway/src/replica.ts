import { NO_GATEWAY, type Ownership, type RecordChange, releaseIsDue, type World } from '@sallyport/authority';
import type { Failure, Generation, PoolId, Result, SandboxId, StoreRevision } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import { generationKey, type Store } from '@sallyport/store';
import { followWorld, operationIdOf, type View } from '@sallyport/view';
import { encodeGeneration, type Stream, type supervisorV1, type UnaryHandler } from '@sallyport/wire';
import { startAssigner } from './assign.ts';
import { type BoundaryAuthority, createBoundaries } from './boundaries.ts';
import type { ProveSupervisor } from './credentials.ts';
import type { Driver } from './driver.ts';
import { createEndpoints } from './endpoints.ts';
import { createJoins, type Joins } from './joins.ts';
import { sendAway } from './leaving.ts';
import { startMemberSweeper } from './member-sweeper.ts';
import { joinGateways, type Membership } from './membership.ts';
import { createOwnershipWrites } from './ownership-writes.ts';
import { createPollService } from './poll-service.ts';
import { createPublisher } from './publish.ts';
import { startRecordSweeper } from './record-sweeper.ts';
import { type Renewals, startRenewals } from './renewals.ts';
import { createSessionService } from './session-service.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createWriter, type Writer } from './writer.ts';

export type { BoundaryAuthority } from './boundaries.ts';
export { createDeclarations, type Declarations, type SandboxRef } from './declarations.ts';
export type { Driver } from './driver.ts';
export { createRegistrations, type Registrations } from './registrations.ts';
export { type FollowedWorkloads, followWorkloads } from './workloads.ts';

/**
 * One gateway replica without its ports: everything that it decides and writes, over a store, a clock and a driver that
 * are given. Production puts gRPC in front of it; the simulation runs many of them in one thread on virtual time.
 */
export interface Replica {
  readonly view: View;
  readonly world: World;
  readonly membership: Membership;
  readonly writer: Writer;
  readonly sessions: Sessions;
  readonly joins: Joins;
  /** Resolves when the view has reached this revision. */
  readonly reached: (revision: StoreRevision) => Promise<void>;
  /** How old its view is, milliseconds; undefined while it holds no authority. */
  ageMs(): number | undefined;
  readonly serveSession: (
    stream: Stream<supervisorV1.SessionResponse, supervisorV1.SessionRequest>,
  ) => Promise<Result<void, Failure>>;
  readonly servePoll: UnaryHandler<supervisorV1.PollConfigurationRequest, supervisorV1.PollConfigurationResponse>;
  /** Sends members and sessions to the other gateways, in steps that take about so long. */
  sendAway(withinMs: number, deadline: AbortSignal): Promise<void>;
  /** Grants and writes nothing more, gives its key up. */
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Wall clock, milliseconds since 1970: epochs follow it, so that they survive a restore. */
  readonly unixMs: () => number;
  readonly log: Log;
  readonly randomId: () => string;
  readonly driver: Driver;
  readonly prove: (world: World) => ProveSupervisor;
  /** Signs for boundaries. Absent: this installation has none. */
  readonly boundary?: BoundaryAuthority;
  /** For people: where this replica is called. */
  readonly address: () => string;
  readonly version: string;
  /** A report was refused by this clause. */
  readonly onRefused: (clause: string) => void;
  /** An ownership record was written. */
  readonly onOwnership?: (to: Ownership['kind']) => void;
}

export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { store, clock, log, randomId, driver } = options;
  const view = followWorld({
    store,
    clock,
    onRelist: (why) => log.warn({ why }, 'listing the store anew'),
    onProblem: (problem) => log.error({ problem }, 'a record cannot be read: it counts as absent'),
  });
  await view.ready;
  await beginGeneration(store, randomId);
  const membership = await joinGateways({ store, clock, log, randomId, version: options.version, address: options.address });
  const { world } = view;
  const reached = (revision: StoreRevision): Promise<void> => view.reached(revision);
  const writer = createWriter({ store, membership, randomId, opIdOf: operationIdOf });
  const prove = options.prove(world);
  const writes = createOwnershipWrites({ world, writer, log, unixMs: options.unixMs, onWritten: options.onOwnership });

  const publisher = createPublisher({ world, writer, membership, clock, resolve: createEndpoints(world, driver, clock) });
  const boundaries = createBoundaries({
    world,
    authority: options.boundary,
    onConfirmed: (sandboxId, epoch) => assigner.fenceConfirmed(sandboxId, epoch),
    log,
  });
  let renewals: Renewals | undefined;
  const ageMs = (): number | undefined => renewals?.ageMs();
  const sessions = createSessions({
    gatewayId: () => membership.current()?.gatewayId ?? NO_GATEWAY,
    world,
    acts: {
      acknowledge: (state, answer) => void writes.acknowledge(state, answer),
      publish: (session, judgement, evidence) => publisher.publish(session, judgement, evidence),
      prepare: (session, judgement, evidence) => void publisher.prepare(session, judgement, evidence),
      lease: (session, lease, nonce) => boundaries.lease(session, lease, nonce),
      fence: (session, fence) => boundaries.fence(session, fence),
      fenceAnswered: (session, fence, answer) => void boundaries.answered(session, fence, answer),
      lost: ({ sandboxId }) => assigner.sessionLost(sandboxId),
      released: (state, epoch, acknowledged) =>
        void writes.release(state, epoch).then((outcome) => {
          if (outcome === 'written') acknowledged();
        }),
      refused: (_state, clause) => options.onRefused(clause),
    },
    ageMs,
    wantsRelease: ({ sandboxId, memberId }) => releaseIsDue(world, sandboxId, memberId),
    clock,
    log,
    randomId,
  });
  const joins = createJoins({
    world,
    reached,
    writer,
    membership,
    prove,
    onDead: (memberIds) => assigner.provedDead(memberIds),
    clock,
    log,
    randomId,
  });
  const sweeper = startMemberSweeper({ world, membership, writer, joins, clock, ageMs });
  const recordSweeper = startRecordSweeper({ world, membership, writer, clock, ageMs });
  const assigner = startAssigner({ world, membership, sessions, writes, clock, unixMs: options.unixMs, ageMs });

  function moved(changes: readonly RecordChange[], sandboxIds: Set<SandboxId>, pools: Set<PoolId>): void {
    for (const poolId of pools)
      for (const sandboxId of world.sandboxesOf(poolId)) if (!isSettled(world, poolId, sandboxId)) sandboxIds.add(sandboxId);
    assigner.moved(changes, sandboxIds);
    joins.moved(sandboxIds, pools);
    sessions.moved(sandboxIds);
  }

  // What was there before we came counts from now on.
  moved([], new Set(world.sandboxes.keys()), new Set());
  view.onChange((changes) => {
    const { sandboxIds, pools } = affectedBy(changes);
    moved(changes, sandboxIds, pools);
  });
  renewals = startRenewals({ world, reached, writer, membership, sessions, clock, log });
  // A new incarnation has no sessions on record: their supervisors come back at once, and serving goes on meanwhile.
  membership.onChange(() => {
    for (const session of [...sessions.all()]) session.end('gateway', 'this gateway has lost its place; open the session again');
    for (const memberId of joins.members()) joins.end(memberId);
  });

  return {
    view,
    world,
    membership,
    writer,
    sessions,
    joins,
    reached,
    ageMs,
    serveSession: createSessionService({ world, reached, writer, membership, joins, sessions, prove, log, randomId }),
    servePoll: createPollService({ world, joins, prove, ageMs }),
    sendAway: (withinMs, deadline) => sendAway({ world, joins, sessions, clock, withinMs, deadline }),
    async stop() {
      assigner.stop();
      sweeper.stop();
      recordSweeper.stop();
      renewals?.stop();
      joins.close();
      for (const memberId of joins.members()) joins.end(memberId);
      await membership.leave();
      view.close();
    },
  };
}

/** The first gateway of a new store begins its generation; a restore from backup begins another. */
async function beginGeneration(store: Store, randomId: () => string): Promise<void> {
  const value = encodeGeneration(randomId() as Generation, randomId());
  await store.commit({
    guards: [{ key: generationKey, is: 'absent' }],
    changes: [{ kind: 'put', key: generationKey, value }],
  });
}

/**
 * Owned by a member that stays: nothing about it hangs on the other members of its pool. A pool may have ten thousand of
 * these, and a member that joins is no reason to look at each.
 */
function isSettled(world: World, poolId: PoolId, sandboxId: SandboxId): boolean {
  const owner = world.owners.get(sandboxId)?.value;
  return owner?.kind === 'owned' && world.members(poolId).get(owner.by)?.value.draining === false;
}

/** Which sandboxes and pools a batch of changes is about. */
function affectedBy(changes: readonly RecordChange[]): { readonly sandboxIds: Set<SandboxId>; readonly pools: Set<PoolId> } {
  const sandboxIds = new Set<SandboxId>();
  const pools = new Set<PoolId>();
  for (const { key } of changes) {
    if ('sandboxId' in key) sandboxIds.add(key.sandboxId);
    else if (key.kind === 'member') pools.add(key.poolId);
  }
  return { sandboxIds, pools };
}
