import {
  type GatewayId,
  type Instant,
  later,
  type MemberId,
  type OwnerEpoch,
  type SandboxId,
  type SessionId,
} from '@sallyport/model';
import { fenceBearer } from './bearer.ts';
import { candidate } from './candidates.ts';
import { fence, offer, offerAfterFence, reoffer } from './ownership.ts';
import type { Held, Ownership } from './records.ts';
import {
  DEDICATED_TAKEOVER_WAIT_MS,
  OFFER_MS,
  SHARED_TAKEOVER_WAIT_MS,
  SILENCE_SUSPECT_MS,
  STREAM_LOST_SUSPECT_MS,
  SUSPICION_GRACE_MS,
} from './timers.ts';
import type { World } from './world.ts';

/**
 * Which transition of one sandbox's ownership this gateway should write now, if any. Acknowledgements, releases and
 * restorations are answers to a supervisor and are decided in its session; everything that nobody asks for is here.
 */
export interface Move {
  readonly sandboxId: SandboxId;
  readonly from: Held<Ownership>;
  readonly to: Ownership;
  /** The member whose record must still stand (an offer), or whose session record must be unmoved (a suspicion). */
  readonly relies: { readonly on: 'member' | 'session'; readonly memberId: MemberId } | undefined;
}

/** What only this gateway knows, by its own clock. */
export interface Watchman {
  readonly gatewayId: GatewayId;
  /** When this gateway began, or last regained its authority or its view of the store: nobody is suspected soon after. */
  readonly recoveredAt: Instant;
  /** When it first saw the ownership as it stands, by epoch and kind. */
  seenSince(sandboxId: SandboxId): Instant;
  /**
   * How long ago it first saw the fence of this owned epoch (candidates do not restart the wait), milliseconds, by a clock
   * that nobody can set: a wall clock that is put ahead must not end the wait while the old owner still serves.
   */
  fencedForMs(sandboxId: SandboxId): number;
  /** The fencing epoch that the boundary of the fenced runtime has confirmed to it: nothing below reaches the application. */
  confirmedEpoch(sandboxId: SandboxId): OwnerEpoch | undefined;
  /** Whether the member's end is proved: another lives in its place, where no two can live at once. */
  isDead(memberId: MemberId): boolean;
  /** When another gateway's key vanished; undefined while it stands. */
  goneSince(gatewayId: GatewayId): Instant | undefined;
  /** Of a session that this gateway held or holds: when its stream was lost, and its last sign of life. Never opened: undefined. */
  session(
    sessionId: SessionId,
  ): { readonly lostAt: Instant | undefined; readonly lastGoodReportAt: Instant | undefined } | undefined;
}

export function moveFor(world: World, watchman: Watchman, sandboxId: SandboxId, now: Instant, unixMs: number): Move | undefined {
  const sandbox = world.sandboxes.get(sandboxId);
  const owner = world.owners.get(sandboxId);
  if (sandbox === undefined || owner === undefined) return undefined;
  const current = owner.value;
  const move = (to: Ownership, relies: Move['relies']): Move => ({ sandboxId, from: owner, to, relies });
  switch (current.kind) {
    case 'released': {
      // Only the gateway that holds the candidate's Join offers: it knows that the member is there.
      const to = candidate(world, sandbox.value, (member) => member.gatewayId === watchman.gatewayId);
      const next = to === undefined ? undefined : offer(current, to, unixMs);
      return next?.ok && to !== undefined ? move(next.value, { on: 'member', memberId: to }) : undefined;
    }
    case 'offered': {
      const member = world.members(sandbox.value.poolId).get(current.to);
      const answered = member?.value.ready === true && !member.value.draining;
      if (answered && now < later(watchman.seenSince(sandboxId), OFFER_MS)) return undefined;
      const to = candidate(world, sandbox.value, () => true, current.to);
      const next = to === undefined ? undefined : reoffer(current, to, unixMs);
      return next?.ok && to !== undefined ? move(next.value, { on: 'member', memberId: to }) : undefined;
    }
    case 'owned': {
      if (!watchman.isDead(current.by) && !isSuspect(world, watchman, sandboxId, current.by, now)) return undefined;
      // What it served is what its session was opened for: the workload may have been replaced since.
      const served = world.session(sandboxId, current.by)?.value.runtimeId ?? sandbox.value.runtimeId;
      const next = fence(current, served, unixMs);
      return next.ok ? move(next.value, { on: 'session', memberId: current.by }) : undefined;
    }
    case 'fencing': {
      const waitMs = sandbox.value.mode === 'shared' ? SHARED_TAKEOVER_WAIT_MS : DEDICATED_TAKEOVER_WAIT_MS;
      const proved = watchman.isDead(current.from) || watchman.confirmedEpoch(sandboxId) === current.epoch;
      if (!proved && watchman.fencedForMs(sandboxId) < waitMs) return undefined;
      // Who carried the fence has installed the configuration meanwhile, and can take over at once.
      const to = fenceBearer(world, sandboxId) ?? candidate(world, sandbox.value, () => true, current.from);
      const next = to === undefined ? undefined : offerAfterFence(current, to, unixMs);
      return next?.ok && to !== undefined ? move(next.value, { on: 'member', memberId: to }) : undefined;
    }
  }
}

/** A missing heartbeat or a deleted Pod alone is no proof of death; these begin a wait, they do not end it. */
function isSuspect(world: World, watchman: Watchman, sandboxId: SandboxId, by: MemberId, now: Instant): boolean {
  const session = world.session(sandboxId, by)?.value;
  // Asked before the grace is over: the two run side by side, not one after the other.
  const gone = session === undefined ? undefined : watchman.goneSince(session.gatewayId);
  if (now < later(watchman.recoveredAt, SUSPICION_GRACE_MS)) return false;
  // An owner that has only just come, or come back, has had no time to report: its silence begins here.
  const ownedSince = watchman.seenSince(sandboxId);
  const silentSince = (at: Instant): boolean =>
    now >= later(at, SILENCE_SUSPECT_MS) && now >= later(ownedSince, SILENCE_SUSPECT_MS);
  if (session === undefined) return silentSince(ownedSince);
  if (session.gatewayId !== watchman.gatewayId) return gone !== undefined && now >= later(gone, SILENCE_SUSPECT_MS);
  // A session is on record before it is open, and its owner has just shown itself: knowing nothing of it is no ground.
  const held = watchman.session(session.sessionId);
  if (held === undefined) return false;
  if (held.lostAt !== undefined && now >= later(held.lostAt, STREAM_LOST_SUSPECT_MS)) return true;
  return held.lastGoodReportAt !== undefined && silentSince(held.lastGoodReportAt);
}
