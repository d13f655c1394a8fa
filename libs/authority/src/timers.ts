import { assert } from '@sallyport/model';

/**
 * Every duration that safety rests on, in milliseconds (DESIGN section 4). Operators do not tune these: their relations,
 * asserted below, are what makes the guarantees true.
 */

/** How often a challenge, a renewal vector and a heartbeat are due. */
export const CHALLENGE_EVERY_MS = 5_000;
/** A challenge is sent this long before the tick whose vector carries its report. */
export const CHALLENGE_LEAD_MS = 1_000;
/** A challenge unanswered for this long is dead; a serving lease lasts this long from the sending of the report. */
export const LEASE_MS = 15_000;
/** A supervisor ends its own lease and freshness this much early. */
export const SUPERVISOR_MARGIN_MS = 500;
/** How long one confirmed configuration may be served. */
export const FRESHNESS_MS = 30_000;
export const POLL_EVERY_MS = 10_000;
export const HEARTBEAT_EVERY_MS = 5_000;
/** TTL of the etcd lease on a gateway's own key. */
export const GATEWAY_LEASE_MS = 10_000;
/** How long a gateway trusts itself after it *sent* the keepalive that was answered last. */
export const GATEWAY_TRUST_MS = 8_000;
/** A failed vector is tried again this often. */
export const VECTOR_RETRY_MS = 1_000;

/** A stream lost for this long makes its owner suspect. */
export const STREAM_LOST_SUSPECT_MS = 2_000;
/** No accepted report for this long does so too, and so does a session whose gateway is gone for this long. */
export const SILENCE_SUSPECT_MS = 15_000;
/** Nobody is suspected this soon after a gateway's own or the store's recovery. */
export const SUSPICION_GRACE_MS = 20_000;
/** An offer without an answer goes to another member after this. */
export const OFFER_MS = 5_000;
/** A member whose gateway is gone for this long may be removed by any gateway. */
export const ORPHAN_MEMBER_MS = 15_000;

/** How far two machines' clocks may differ in rate. */
export const CLOCK_RATE_ERROR = 0.01;
/** From seeing a committed fence to the next offer, when nothing proves the old owner dead. */
export const SHARED_TAKEOVER_WAIT_MS = 17_000;
export const DEDICATED_TAKEOVER_WAIT_MS = 33_000;

/** From issuing a nonce, by the boundary's own clock, for a shared and for a dedicated owner. */
export const BOUNDARY_SHARED_MS = 15_000;
export const BOUNDARY_DEDICATED_MS = 30_000;
/** After a graceful change, how long channels of the one who let go may stay open. */
export const BOUNDARY_OVERLAP_MS = 15_000;
/** Nonces of a boundary that are alive at once: a handful of members, one each tick and after each change. */
export const BOUNDARY_NONCES_MAX = 256;

/** Discovery shows a record only with more than this left. */
export const READER_MARGIN_MS = 2_000;
export const READER_ECHO_EVERY_MS = 1_000;

/** All of them by name: what a relation is about. */
export const TIMERS = {
  CHALLENGE_EVERY_MS,
  CHALLENGE_LEAD_MS,
  LEASE_MS,
  SUPERVISOR_MARGIN_MS,
  FRESHNESS_MS,
  POLL_EVERY_MS,
  HEARTBEAT_EVERY_MS,
  GATEWAY_LEASE_MS,
  GATEWAY_TRUST_MS,
  VECTOR_RETRY_MS,
  STREAM_LOST_SUSPECT_MS,
  SILENCE_SUSPECT_MS,
  SUSPICION_GRACE_MS,
  OFFER_MS,
  ORPHAN_MEMBER_MS,
  CLOCK_RATE_ERROR,
  SHARED_TAKEOVER_WAIT_MS,
  DEDICATED_TAKEOVER_WAIT_MS,
  BOUNDARY_SHARED_MS,
  BOUNDARY_DEDICATED_MS,
  BOUNDARY_OVERLAP_MS,
  BOUNDARY_NONCES_MAX,
  READER_MARGIN_MS,
  READER_ECHO_EVERY_MS,
};

export type Timers = Readonly<Record<keyof typeof TIMERS, number>>;

/** The longest that a duration of one clock can last by another. */
const stretched = (durationMs: number, { CLOCK_RATE_ERROR: error }: Timers): number => (durationMs * (1 + error)) / (1 - error);

/** What makes the guarantees true, whatever the numbers are. */
export const RELATIONS: readonly (readonly [why: string, holds: (t: Timers) => boolean])[] = [
  [
    'a report has time to arrive before its tick, and one tick has one challenge',
    (t) => t.CHALLENGE_LEAD_MS < t.CHALLENGE_EVERY_MS,
  ],
  [
    'one lost vector does not end a lease under a healthy owner',
    (t) => t.CHALLENGE_LEAD_MS + 2 * t.CHALLENGE_EVERY_MS + t.SUPERVISOR_MARGIN_MS < t.LEASE_MS,
  ],
  [
    'a shared owner is silent before a successor is offered',
    (t) => t.SHARED_TAKEOVER_WAIT_MS > stretched(t.LEASE_MS, t) + t.SUPERVISOR_MARGIN_MS,
  ],
  [
    'a dedicated owner is silent before a successor is offered',
    (t) => t.DEDICATED_TAKEOVER_WAIT_MS > stretched(t.FRESHNESS_MS, t) + t.SUPERVISOR_MARGIN_MS,
  ],
  // The nonce was issued before the report was sent: a boundary ends no later than the lease that it goes with.
  [
    'a boundary that could not be reached refuses a shared owner before a successor is offered',
    (t) => t.SHARED_TAKEOVER_WAIT_MS > stretched(t.BOUNDARY_SHARED_MS, t),
  ],
  ['and a dedicated one', (t) => t.DEDICATED_TAKEOVER_WAIT_MS > stretched(t.BOUNDARY_DEDICATED_MS, t)],
  ['a gateway stops trusting itself before its key can vanish', (t) => stretched(t.GATEWAY_TRUST_MS, t) < t.GATEWAY_LEASE_MS],
  ['a lost heartbeat does not end freshness', (t) => 2 * t.HEARTBEAT_EVERY_MS + t.CHALLENGE_EVERY_MS < t.FRESHNESS_MS],
  ['polling keeps freshness', (t) => t.POLL_EVERY_MS + t.CHALLENGE_EVERY_MS + t.SUPERVISOR_MARGIN_MS < t.FRESHNESS_MS],
];

for (const [why, holds] of RELATIONS) assert(holds(TIMERS), why);
