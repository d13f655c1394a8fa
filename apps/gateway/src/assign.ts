import { moveFor, NO_GATEWAY, type RecordChange, STREAM_LOST_SUSPECT_MS, type Watchman, type World } from '@sallyport/authority';
import { type GatewayId, type Instant, later, type MemberId, type OwnerEpoch, type SandboxId } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import type { Membership } from './membership.ts';
import type { OwnershipWrites } from './ownership-writes.ts';
import type { Sessions } from './sessions.ts';

export interface Assigner {
  /** Records have moved. */
  moved(changes: readonly RecordChange[], affected: ReadonlySet<SandboxId>): void;
  /** A session about it was lost: its owner will be suspect in a moment, and nobody should wait for the next round. */
  sessionLost(sandboxId: SandboxId): void;
  /** Its boundary has confirmed this fence: nothing below reaches the application. */
  fenceConfirmed(sandboxId: SandboxId, epoch: OwnerEpoch): void;
  /** Their end is proved. */
  provedDead(memberIds: readonly MemberId[]): void;
  stop(): void;
}

export interface AssignerOptions {
  readonly world: World;
  readonly membership: Membership;
  readonly sessions: Sessions;
  readonly writes: OwnershipWrites;
  readonly clock: Clock;
  readonly unixMs: () => number;
  /** How old this gateway's view is; undefined: it holds no authority. */
  readonly ageMs: () => number | undefined;
}

/** How often every sandbox is looked at for what only time brings about. */
const LOOK_EVERY_MS = 1_000;
/** Looked at in one turn of the event loop. All of ten thousand took 70 ms, in which nobody's report was heard. */
const SLICE_SANDBOXES = 500;
/** Members that are known to be dead; the oldest are forgotten first. */
const DEAD_MAX = 10_000;
/** Ownership writes under way at once. */
const WRITES_MAX = 64;

/** Keeps this gateway's own observations, and writes the moves that they and the records ask for. */
export function startAssigner({ world, membership, sessions, writes, clock, unixMs, ageMs }: AssignerOptions): Assigner {
  const seen = new Map<SandboxId, { readonly tag: string; readonly at: Instant }>();
  /** By the steady clock: this wait must not end early. */
  const fenced = new Map<SandboxId, { readonly epoch: bigint; readonly atMs: number }>();
  const confirmed = new Map<SandboxId, OwnerEpoch>();
  const dead = new Set<MemberId>();
  const gone = new Map<GatewayId, Instant>();
  const known = new Set<GatewayId>();
  const writing = new Set<SandboxId>();
  /** Found no place for their write; the next that becomes free is theirs. */
  const due = new Set<SandboxId>();
  let stopped = false;
  // A view that stands still makes every session look silent: nobody is judged by it, nor soon after it moves again.
  let currentSince = clock.now();
  let isCurrent = false;

  function viewIsCurrent(): boolean {
    const current = ageMs() !== undefined;
    if (current && !isCurrent) currentSince = clock.now();
    isCurrent = current;
    return current;
  }

  /** Offers that are being written count as well, or all of them would go to the same member. */
  const offering = new Map<MemberId, number>();
  const counted: World = Object.create(world, {
    ownedCount: { value: (memberId: MemberId) => world.ownedCount(memberId) + (offering.get(memberId) ?? 0) },
  });

  /** One object for all that is looked at: ten thousand each second are much to collect. */
  const watchman: Watchman = {
    get gatewayId() {
      return membership.current()?.gatewayId ?? NO_GATEWAY;
    },
    get recoveredAt() {
      return Math.max(membership.gainedAt(), currentSince) as Instant;
    },
    seenSince: (sandboxId) => seen.get(sandboxId)?.at ?? clock.now(),
    fencedForMs: (sandboxId) => clock.steadyMs() - (fenced.get(sandboxId)?.atMs ?? clock.steadyMs()),
    confirmedEpoch: (sandboxId) => confirmed.get(sandboxId),
    isDead: (memberId) => dead.has(memberId),
    goneSince: (id) => {
      if (world.gateways.has(id)) return undefined;
      // A gateway that was gone before we came counts from now on.
      const at = gone.get(id) ?? clock.now();
      gone.set(id, at);
      return at;
    },
    session: (sessionId) => sessions.observed(sessionId),
  };

  function observe(sandboxId: SandboxId): void {
    const owner = world.owners.get(sandboxId)?.value;
    if (owner === undefined) {
      seen.delete(sandboxId);
      fenced.delete(sandboxId);
      confirmed.delete(sandboxId);
      return;
    }
    const tag = `${owner.kind}#${owner.epoch}`;
    if (seen.get(sandboxId)?.tag !== tag) seen.set(sandboxId, { tag, at: clock.now() });
    // The wait belongs to the epoch that was owned: offers to candidates that come to nothing do not restart it.
    if (owner.kind === 'fencing' && fenced.get(sandboxId)?.epoch !== owner.ownedEpoch)
      fenced.set(sandboxId, { epoch: owner.ownedEpoch, atMs: clock.steadyMs() });
  }

  function look(sandboxId: SandboxId): void {
    if (stopped || membership.current() === undefined || !viewIsCurrent() || writing.has(sandboxId)) return;
    if (writing.size >= WRITES_MAX) return void due.add(sandboxId);
    const move = moveFor(counted, watchman, sandboxId, clock.now(), unixMs());
    if (move === undefined) return;
    const to = move.to.kind === 'offered' ? move.to.to : undefined;
    writing.add(sandboxId);
    count(to, 1);
    void writes.move(move).finally(() => {
      writing.delete(sandboxId);
      count(to, -1);
      next();
    });
  }

  function next(): void {
    for (const sandboxId of due) {
      if (writing.size >= WRITES_MAX) return;
      due.delete(sandboxId);
      look(sandboxId);
    }
  }

  function count(memberId: MemberId | undefined, by: number): void {
    if (memberId !== undefined) offering.set(memberId, (offering.get(memberId) ?? 0) + by);
  }

  function lookAtSlice(all: readonly SandboxId[], from: number): void {
    for (const sandboxId of all.slice(from, from + SLICE_SANDBOXES)) look(sandboxId);
    const next = from + SLICE_SANDBOXES;
    // Spread over the second, and over before the next begins.
    const everyMs = (LOOK_EVERY_MS * SLICE_SANDBOXES) / (all.length + SLICE_SANDBOXES);
    if (next < all.length && !stopped) clock.at(later(clock.now(), everyMs), () => lookAtSlice(all, next));
  }

  const cancel = clock.every(LOOK_EVERY_MS, () => lookAtSlice([...world.sandboxes.keys()], 0));

  return {
    moved(changes, affected) {
      for (const { key, held } of changes) {
        if (key.kind !== 'gateway') continue;
        if (held === undefined && known.delete(key.gatewayId)) gone.set(key.gatewayId, clock.now());
        if (held !== undefined) known.add(key.gatewayId);
      }
      for (const sandboxId of affected) {
        observe(sandboxId);
        look(sandboxId);
      }
    },
    sessionLost(sandboxId) {
      clock.at(later(clock.now(), STREAM_LOST_SUSPECT_MS), () => look(sandboxId));
    },
    fenceConfirmed(sandboxId, epoch) {
      confirmed.set(sandboxId, epoch);
      look(sandboxId);
    },
    provedDead(memberIds) {
      for (const memberId of memberIds) dead.add(memberId);
      for (const oldest of dead) if (dead.size > DEAD_MAX) dead.delete(oldest);
      for (const [sandboxId, { value }] of world.owners)
        if ((value.kind === 'owned' && dead.has(value.by)) || (value.kind === 'fencing' && dead.has(value.from))) look(sandboxId);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
