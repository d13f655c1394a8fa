import { expect, test } from 'vitest';
import { RELATIONS, TIMERS, type Timers } from './timers.ts';

/** As the documents promise them, and as every other process of an installation counts on: no number here is a matter of taste. */
const promised: Timers = {
  CHALLENGE_EVERY_MS: 5_000,
  CHALLENGE_LEAD_MS: 1_000,
  LEASE_MS: 15_000,
  SUPERVISOR_MARGIN_MS: 500,
  FRESHNESS_MS: 30_000,
  POLL_EVERY_MS: 10_000,
  HEARTBEAT_EVERY_MS: 5_000,
  GATEWAY_LEASE_MS: 10_000,
  GATEWAY_TRUST_MS: 8_000,
  VECTOR_RETRY_MS: 1_000,
  STREAM_LOST_SUSPECT_MS: 2_000,
  SILENCE_SUSPECT_MS: 15_000,
  SUSPICION_GRACE_MS: 20_000,
  OFFER_MS: 5_000,
  ORPHAN_MEMBER_MS: 15_000,
  CLOCK_RATE_ERROR: 0.01,
  SHARED_TAKEOVER_WAIT_MS: 17_000,
  DEDICATED_TAKEOVER_WAIT_MS: 33_000,
  BOUNDARY_SHARED_MS: 15_000,
  BOUNDARY_DEDICATED_MS: 30_000,
  BOUNDARY_OVERLAP_MS: 15_000,
  BOUNDARY_NONCES_MAX: 256,
  READER_MARGIN_MS: 2_000,
  READER_ECHO_EVERY_MS: 1_000,
};

test('each duration is the one that was promised', () => expect(TIMERS).toEqual(promised));

/** The first number that is too far for each relation, and whether only that one breaks. */
const broken: readonly (readonly [why: string, change: Partial<Timers>])[] = [
  [
    'a report has time to arrive before its tick, and one tick has one challenge',
    { CHALLENGE_LEAD_MS: 5_000, LEASE_MS: 15_501, SHARED_TAKEOVER_WAIT_MS: 18_000 },
  ],
  ['one lost vector does not end a lease under a healthy owner', { LEASE_MS: 11_500 }],
  ['a shared owner is silent before a successor is offered', { SHARED_TAKEOVER_WAIT_MS: 15_803 }],
  ['a dedicated owner is silent before a successor is offered', { DEDICATED_TAKEOVER_WAIT_MS: 31_106 }],
  ['a boundary that could not be reached refuses a shared owner before a successor is offered', { BOUNDARY_SHARED_MS: 16_664 }],
  ['and a dedicated one', { BOUNDARY_DEDICATED_MS: 32_347 }],
  ['a gateway stops trusting itself before its key can vanish', { GATEWAY_TRUST_MS: 9_802 }],
  ['a lost heartbeat does not end freshness', { HEARTBEAT_EVERY_MS: 12_500 }],
  ['polling keeps freshness', { POLL_EVERY_MS: 24_500 }],
];

test.each(broken)('%s: and no further', (why, change) => {
  const timers = { ...TIMERS, ...change };
  expect(RELATIONS.filter(([, holds]) => !holds(timers)).map(([each]) => each)).toEqual([why]);
});

test('every relation has its row', () => expect(broken.map(([why]) => why)).toEqual(RELATIONS.map(([why]) => why)));
