import { type Instant, later } from '@sallyport/model';
import { FRESHNESS_MS, LEASE_MS, SUPERVISOR_MARGIN_MS } from './timers.ts';

/**
 * Deadlines are counted from before the question was asked, by the clock of whoever must stop: whatever the network did
 * meanwhile, they can only end early.
 */

/** A serving lease ends this long after the acknowledged report was *sent* by the supervisor. */
export const leaseDeadline = (reportSentAt: Instant, ttlMs: number): Instant =>
  later(reportSentAt, Math.min(ttlMs, LEASE_MS) - SUPERVISOR_MARGIN_MS);

/**
 * Freshness counts from the sending of the heartbeat or poll that was answered, less the age that the gateway states of
 * its own view: a gateway cut off from the store cannot keep withdrawn routes alive.
 */
export const freshDeadline = (askedAt: Instant, ageMs: number): Instant =>
  later(askedAt, FRESHNESS_MS - SUPERVISOR_MARGIN_MS - Math.max(0, ageMs));

/** What is left of a renewal when the vector that carries it is sent: the challenge's life, less what has passed. */
export const remainingMs = (challengeSentAt: Instant, now: Instant): number =>
  Math.max(0, Math.floor(challengeSentAt + LEASE_MS - now));
