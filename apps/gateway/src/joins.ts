import type { World } from '@sallyport/authority';
import {
  err,
  type Failure,
  failure,
  type Instant,
  type JoinId,
  LONG_AGO,
  later,
  type MemberId,
  ok,
  type PoolId,
  type Result,
  type SandboxId,
  type StoreRevision,
} from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import { askAgainMs } from '@sallyport/session';
import { type Guard, memberKey } from '@sallyport/store';
import {
  encodeMember,
  joinResponseMessage,
  type MemberState,
  parseJoinRequest,
  type Stream,
  type supervisorV1,
} from '@sallyport/wire';
import { createAssignments } from './assignments.ts';
import { fingerprint, type ProveSupervisor, type SupervisorProof } from './credentials.ts';
import type { Membership } from './membership.ts';
import { rivalsOf } from './rivals.ts';
import type { Writer } from './writer.ts';

type JoinStream = Stream<supervisorV1.JoinResponse, supervisorV1.JoinRequest>;

export interface Joins {
  /** The `Join` call, from Hello to the end of its stream. */
  serve(stream: JoinStream): Promise<Result<void, Failure>>;
  /** These sandboxes, and the members of these pools, have moved: assignments may differ. */
  moved(sandboxIds: Iterable<SandboxId>, pools: Iterable<PoolId>): void;
  /** Whether a member that is joined here proved this credential for this pool, by the driver. */
  proved(memberId: MemberId, credential: string, poolId: PoolId): boolean;
  /** Whether this very Join is open here, or is being put on record. */
  holds(joinId: JoinId): boolean;
  /** The record of this member is of no gateway that stands. If the member is joined here, it is put on record as that again. */
  orphaned(memberId: MemberId): void;
  count(): number;
  members(): readonly MemberId[];
  /** Tells a member to join another gateway, by ending its stream. */
  end(memberId: MemberId): void;
  /** From now on nobody is taken any more; those who are here stay until they are told. */
  close(): void;
}

export interface JoinsOptions {
  readonly world: World;
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
  readonly membership: Membership;
  readonly prove: ProveSupervisor;
  /** These are proved to be dead: another lives in their place, where no two can. */
  readonly onDead: (memberIds: readonly MemberId[]) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomId: () => string;
}

interface Joined {
  readonly memberId: MemberId;
  readonly poolId: PoolId;
  readonly joinId: JoinId;
  readonly credential: string;
  readonly proof: SupervisorProof;
  readonly stream: JoinStream;
  state: MemberState;
  /** A long list is not made again at once: many small changes would cost as many long lists. */
  restsUntil: Instant;
  /** Whether one is due when it has rested. */
  waits: boolean;
}

const WRITE_TRIES_MAX = 5;
/** Between two tries to put a member back on record. */
const RESTORE_AGAIN_MS = 1_000;
/** Changes that come together make one list. */
const COALESCE_MS = 5;
/** For each assignment of a list, how long it is before the next list: half a second for 5,000 of them. */
const REST_MS_EACH = 0.1;
const LEAVING = failure('not-ready', 'this gateway is leaving; join another');

export function createJoins(options: JoinsOptions): Joins {
  const { world, reached, writer, membership, prove, clock, log, randomId } = options;
  const joined = new Map<MemberId, Joined>();
  const byPool = new Map<PoolId, Set<Joined>>();
  const open = new Set<JoinId>();
  const assignments = createAssignments(world);
  const touched = new Set<SandboxId>();
  const touchedPools = new Set<PoolId>();
  const restoring = new Set<Joined>();
  let planned = false;
  let closed = false;

  async function serve(stream: JoinStream): Promise<Result<void, Failure>> {
    const requests = stream.received[Symbol.asyncIterator]();
    const first = await requests.next();
    if (first.done) return ok(undefined);
    const hello = parseJoinRequest(first.value);
    if (!hello.ok) return hello;
    if (hello.value.kind !== 'hello') return err(failure('malformed', 'the first message must be hello'));
    const { memberId, poolId, credential, state } = hello.value;
    const proof = await prove(credential);
    if (!proof.ok) return proof;
    if (proof.value.poolId !== poolId) return err(failure('forbidden', `the credential is for another pool than ${poolId}`));
    const own = membership.current();
    if (own === undefined) return err(failure('not-ready', 'this gateway holds no authority; try another'));
    if (closed) return err(LEAVING);

    const join: Joined = {
      memberId,
      poolId,
      joinId: randomId() as JoinId,
      credential: fingerprint(credential),
      proof: proof.value,
      stream,
      state,
      restsUntil: LONG_AGO,
      waits: false,
    };
    open.add(join.joinId);
    const written = await record(join, () => !stream.signal.aborted);
    // Given up meanwhile: it takes no place here. Where it got on record, the sweeper gives the record back.
    if (!written.ok || stream.signal.aborted) {
      open.delete(join.joinId);
      return stream.signal.aborted ? ok(undefined) : written;
    }
    enter(join);
    let rivals = proof.value.exclusive === true ? rivalsOf(world, poolId, memberId, proof.value.supervisorUid) : [];
    stream.send(joinResponseMessage({ kind: 'accepted', joinId: join.joinId, gatewayId: own.gatewayId }));
    assign(join);
    log.info({ memberId, poolId, joinId: join.joinId }, 'member joined');
    try {
      for (let next = await requests.next(); !next.done; next = await requests.next()) {
        // A kind of message of a later release: whoever sends it does not count on it.
        if (next.value.request === undefined) continue;
        const request = parseJoinRequest(next.value);
        if (!request.ok) return request;
        if (request.value.kind === 'hello') return err(failure('malformed', 'hello comes once'));
        if (request.value.kind === 'ping') {
          stream.send(joinResponseMessage({ kind: 'pong', againMs: askAgainMs(joined.size) }));
          continue;
        }
        // It lives, after they were on record.
        if (rivals.length > 0) options.onDead(rivals);
        rivals = [];
        const before = join.state;
        join.state = { ...request.value.state, draining: before.draining || request.value.state.draining };
        if (sameState(before, join.state)) continue;
        const updated = await record(join);
        if (!updated.ok) return updated;
      }
    } finally {
      leave(join);
    }
    return ok(undefined);
  }

  function enter(join: Joined): void {
    joined.get(join.memberId)?.stream.fail(failure('conflict', 'the member has joined again'));
    joined.set(join.memberId, join);
    byPool.set(join.poolId, (byPool.get(join.poolId) ?? new Set()).add(join));
  }

  function leave(join: Joined): void {
    if (joined.get(join.memberId) === join) joined.delete(join.memberId);
    open.delete(join.joinId);
    const pool = byPool.get(join.poolId);
    pool?.delete(join);
    if (pool?.size === 0) byPool.delete(join.poolId);
    log.info({ memberId: join.memberId, joinId: join.joinId }, 'member left');
  }

  /** Puts the member on record. An existing record is updated, so that its create-revision stays and with it what was published. */
  async function record(join: Joined, stillWanted = () => true): Promise<Result<void, Failure>> {
    const { memberId, poolId, joinId, proof, state } = join;
    const key = memberKey(poolId, memberId);
    for (let attempt = 0; attempt < WRITE_TRIES_MAX && stillWanted(); attempt += 1) {
      const own = membership.current();
      if (own === undefined) return err(failure('not-ready', 'this gateway holds no authority; try another'));
      const present = world.members(poolId).get(memberId);
      const guard: Guard =
        present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision };
      const supervisorUid = proof.supervisorUid === '' ? memberId : proof.supervisorUid;
      const member = { supervisorUid, ...state, gatewayId: own.gatewayId, gatewayEpoch: own.epoch, joinId };
      const written = await writer.write({ guards: [guard], puts: [{ key, value: (opId) => encodeMember(member, opId) }] });
      if (written.kind === 'no-authority' || written.kind === 'unknown') break;
      await reached(written.revision);
      if (written.kind === 'committed') return ok(undefined);
    }
    return err(failure('not-ready', 'the store does not answer; try another gateway'));
  }

  function assign(join: Joined): void {
    const list = assignments.of(join.memberId);
    join.restsUntil = later(clock.now(), list.length * REST_MS_EACH);
    join.stream.send(joinResponseMessage({ kind: 'assignments', assignments: list }));
  }

  function assignTouched(): void {
    planned = false;
    const changed = assignments.moved(touched);
    const pools = [...touchedPools];
    touched.clear();
    touchedPools.clear();
    for (const poolId of pools) for (const join of byPool.get(poolId) ?? []) void restore(join);
    for (const memberId of changed) {
      const join = joined.get(memberId);
      if (join !== undefined) assignWhenRested(join);
    }
  }

  function assignWhenRested(join: Joined): void {
    if (join.restsUntil <= clock.now()) return assign(join);
    if (join.waits) return;
    join.waits = true;
    clock.at(join.restsUntil, () => {
      join.waits = false;
      if (joined.get(join.memberId) === join) assign(join);
    });
  }

  /**
   * Another Join was given up and still put itself on record late, over this one; then its gateway gave the record back, or is gone
   * itself. This Join is alive, and the member believes it: so it puts the member back.
   */
  async function restore(join: Joined): Promise<void> {
    const isWanted = (): boolean => {
      if (joined.get(join.memberId) !== join) return false;
      const present = world.members(join.poolId).get(join.memberId)?.value;
      return present === undefined || (present.joinId !== join.joinId && !world.gateways.has(present.gatewayId));
    };
    if (restoring.has(join) || !isWanted()) return;
    restoring.add(join);
    const recorded = await record(join, isWanted);
    restoring.delete(join);
    log.info({ memberId: join.memberId, joinId: join.joinId, recorded: recorded.ok }, 'member put back on record');
    if (!recorded.ok) clock.at(later(clock.now(), RESTORE_AGAIN_MS), () => void restore(join));
  }

  return {
    serve,
    moved(sandboxIds, pools) {
      for (const sandboxId of sandboxIds) touched.add(sandboxId);
      for (const poolId of pools) touchedPools.add(poolId);
      if (planned || (touched.size === 0 && touchedPools.size === 0)) return;
      planned = true;
      clock.at(later(clock.now(), COALESCE_MS), assignTouched);
    },
    proved(memberId, credential, poolId) {
      const join = joined.get(memberId);
      return join !== undefined && join.poolId === poolId && join.proof.sandboxId === undefined && join.credential === credential;
    },
    orphaned(memberId) {
      const join = joined.get(memberId);
      if (join !== undefined) void restore(join);
    },
    holds: (joinId) => open.has(joinId),
    count: () => joined.size,
    members: () => [...joined.keys()],
    end: (memberId) => joined.get(memberId)?.stream.fail(LEAVING),
    close() {
      closed = true;
    },
  };
}

const sameState = (a: MemberState, b: MemberState): boolean =>
  a.ready === b.ready && a.draining === b.draining && a.appPort === b.appPort && a.capacity === b.capacity;
