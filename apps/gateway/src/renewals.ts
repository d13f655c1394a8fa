import { CHALLENGE_EVERY_MS, CHALLENGE_LEAD_MS, FRESHNESS_MS, VECTOR_RETRY_MS, type World } from '@sallyport/authority';
import { type Instant, later, type StoreRevision } from '@sallyport/model';
import type { Cancel, Clock, Log } from '@sallyport/process';
import { type Evidence, renewalOf } from '@sallyport/session';
import { renewalKey } from '@sallyport/store';
import { encodeRenewals } from '@sallyport/wire';
import type { Membership } from './membership.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import type { Writer } from './writer.ts';

/** Sandboxes in one vector: a record of about 60 KB. */
export const BUCKET_SESSIONS_MAX = 1_000;
/** Challenges go out in slices, so many at most: all within three quarters of their lead, so that reports are in time. */
const SLICES_MAX = 25;
const SLICE_EVERY_MS = (0.75 * CHALLENGE_LEAD_MS) / SLICES_MAX;
const SLICE_MIN = 100;

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
 * written too: its echo is the gateway's clock of freshness.
 */
export function startRenewals({ world, reached, writer, membership, sessions, clock, log }: RenewalsOptions): Renewals {
  let echoSentAt: Instant | undefined;
  let echoOf: string | undefined;
  let stopped = false;
  let timers: Cancel[] = [];

  function beat(): void {
    if (stopped) return;
    const startedAt = clock.now();
    timers = [
      clock.at(later(startedAt, CHALLENGE_EVERY_MS - CHALLENGE_LEAD_MS), () => challenge([...sessions.all()])),
      clock.at(later(startedAt, CHALLENGE_EVERY_MS), beat),
    ];
    void renew(startedAt);
  }

  /** A few at a time: thousands of reports at once would hold up all else, and come late for their vector. */
  function challenge(due: readonly LiveSession[], size = Math.max(SLICE_MIN, Math.ceil(due.length / SLICES_MAX))): void {
    for (const session of due.slice(0, size)) session.step({ kind: 'challenge-due' });
    const rest = due.slice(size);
    if (rest.length > 0 && !stopped) clock.at(later(clock.now(), SLICE_EVERY_MS), () => challenge(rest, size));
  }

  /** All buckets; what failed is tried again each second until the next tick makes it moot. */
  async function renew(startedAt: Instant): Promise<void> {
    const nextTick = later(startedAt, CHALLENGE_EVERY_MS - VECTOR_RETRY_MS / 2);
    for (;;) {
      const results = await Promise.all(buckets().map((bucket, index) => send(index, bucket)));
      if (results.every(Boolean) || stopped) return;
      if (later(clock.now(), VECTOR_RETRY_MS) >= nextTick) return;
      await new Promise<void>((resolve) => clock.at(later(clock.now(), VECTOR_RETRY_MS), resolve));
    }
  }

  function buckets(): readonly (readonly LiveSession[])[] {
    const all = [...sessions.all()];
    const made: LiveSession[][] = [];
    for (let from = 0; from < all.length; from += BUCKET_SESSIONS_MAX) made.push(all.slice(from, from + BUCKET_SESSIONS_MAX));
    return made.length === 0 ? [[]] : made;
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
    },
  };
}
