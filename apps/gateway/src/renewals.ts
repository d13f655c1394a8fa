import { CHALLENGE_EVERY_MS, CHALLENGE_LEAD_MS, FRESHNESS_MS, VECTOR_RETRY_MS, type World } from '@sallyport/authority';
import { type Instant, later, type StoreRevision } from '@sallyport/model';
import type { Cancel, Clock, Log } from '@sallyport/process';
import { type Evidence, renewalOf } from '@sallyport/session';
import { renewalKey } from '@sallyport/store';
import { encodeRenewals } from '@sallyport/wire';
import type { Membership } from './membership.ts';
import { createRenewalBuckets } from './renewal-buckets.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import type { Writer } from './writer.ts';

/**
 * Challenges of one vector go out in slices: those of a thousand sessions within a fifth of their lead. Slices are due by the
 * clock, not by turns: in a process that has much to do a turn takes longer than their interval, and the last of ten would
 * be so late that their reports missed the vector.
 */
const SLICE_SESSIONS = 100;
const SLICE_EVERY_MS = 20;

/** How many challenges are to have gone out so long after the first. */
export const challengesDue = (sinceMs: number): number =>
  SLICE_SESSIONS * (1 + Math.max(0, Math.floor(sinceMs / SLICE_EVERY_MS)));

export interface Renewals {
  /**
   * How old this gateway's view is: the time since it sent the newest vector that it has seen come back, milliseconds.
   * Undefined while it holds no authority, or when the view is so old that nothing could be renewed by it.
   */
  ageMs(): number | undefined;
  stop(): void;
}

export interface RenewalsOptions {
  readonly world: World;
  /** Resolves when the view has reached the revision. */
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
  readonly membership: Membership;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The beat of the gateway: each tick one small write for up to a thousand sandboxes. When it comes back on the watch the
 * view is complete up to it, and only then are the reports that it carried judged again and leased. An empty vector is
 * written too: its echo is the gateway's clock of freshness. Several vectors are spread over the tick: ten thousand reports
 * in one moment would come too late for theirs.
 */
export function startRenewals({ world, reached, writer, membership, sessions, clock, log }: RenewalsOptions): Renewals {
  let echoSentAt: Instant | undefined;
  let echoOf: string | undefined;
  let stopped = false;
  const buckets = createRenewalBuckets(() => sessions.all(), sessions.changeCount);
  const timers = new Set<Cancel>();

  function at(instant: Instant, act: () => void): void {
    const cancel = clock.at(instant, () => {
      timers.delete(cancel);
      act();
    });
    timers.add(cancel);
  }

  function beat(): void {
    if (stopped) return;
    const startedAt = clock.now();
    const count = buckets.plan();
    at(later(startedAt, CHALLENGE_EVERY_MS), beat);
    for (let bucket = 0; bucket < count; bucket += 1) {
      const phaseMs = (bucket * CHALLENGE_EVERY_MS) / count;
      const asksAt = later(startedAt, phaseMs + CHALLENGE_EVERY_MS - CHALLENGE_LEAD_MS);
      at(asksAt, () => challenge(buckets.of(bucket), asksAt, 0));
      if (phaseMs === 0) void renew(bucket);
      else at(later(startedAt, phaseMs), () => void renew(bucket));
    }
  }

  function challenge(due: readonly LiveSession[], since: Instant, askedCount: number): void {
    const upTo = Math.max(askedCount, challengesDue(clock.now() - since));
    for (const session of due.slice(askedCount, upTo)) session.step({ kind: 'challenge-due' });
    if (upTo < due.length) at(later(clock.now(), SLICE_EVERY_MS), () => challenge(due, since, upTo));
  }

  /** What failed is tried again each second until the next tick makes it moot. */
  async function renew(bucket: number): Promise<void> {
    const nextTick = later(clock.now(), CHALLENGE_EVERY_MS - VECTOR_RETRY_MS / 2);
    while (!(await send(bucket, buckets.of(bucket))) && !stopped) {
      if (later(clock.now(), VECTOR_RETRY_MS) >= nextTick) return;
      await new Promise<void>((resolve) => at(later(clock.now(), VECTOR_RETRY_MS), resolve));
    }
  }

  async function send(index: number, bucket: readonly LiveSession[]): Promise<boolean> {
    const own = membership.current();
    if (own === undefined) return false;
    const sentAt = clock.now();
    const carried: { readonly session: LiveSession; readonly evidence: Evidence }[] = [];
    const renewals = bucket.flatMap((session) => {
      const due = renewalOf(session.state(), world, sentAt);
      if (due === undefined) return [];
      carried.push({ session, evidence: due.evidence });
      return [due.renewal];
    });
    const key = renewalKey(own.gatewayId, index);
    const present = world.renewals(own.gatewayId).get(index);
    const vector = { gatewayEpoch: own.epoch, asOf: world.revision, renewals };
    const written = await writer.write({
      // With the key compared, a vector whose outcome was unknown can no longer commit once a later one has.
      guards: [present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision }],
      puts: [{ key, value: (opId) => encodeRenewals(vector, opId) }],
      urgent: true,
    });
    if (written.kind !== 'committed') {
      log.debug({ bucket: index, outcome: written.kind }, 'renewal vector not written');
      return false;
    }
    await reached(written.revision);
    if (stopped || membership.current()?.gatewayId !== own.gatewayId) return false;
    if (echoOf !== own.gatewayId || echoSentAt === undefined || sentAt > echoSentAt) echoSentAt = sentAt;
    echoOf = own.gatewayId;
    for (const { session, evidence } of carried) session.step({ kind: 'renewed', evidence });
    return true;
  }

  function ageMs(): number | undefined {
    if (echoSentAt === undefined || membership.current()?.gatewayId !== echoOf) return undefined;
    const age = clock.now() - echoSentAt;
    return age < FRESHNESS_MS ? age : undefined;
  }

  beat();
  return {
    ageMs,
    stop() {
      stopped = true;
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}
