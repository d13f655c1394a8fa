import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshDeadline, leaseDeadline, remainingMs } from './lease.ts';
import { at } from './testing/index.ts';
import { CLOCK_RATE_ERROR, DEDICATED_TAKEOVER_WAIT_MS, FRESHNESS_MS, LEASE_MS, SHARED_TAKEOVER_WAIT_MS } from './timers.ts';

describe('a serving lease ends', () => {
  const rows: [title: string, sentAt: number, ttlMs: number, want: number][] = [
    ['14.5 s after the report was sent', 1_000, 15_000, 15_500],
    ['sooner, if the gateway says so', 1_000, 5_000, 5_500],
    ['never later, whatever the gateway says', 1_000, 3_600_000, 15_500],
    ['before it began, if there is nothing to give', 1_000, 0, 500],
  ];
  test.each(rows)('%s', (_title, sentAt, ttlMs, want) => expect(leaseDeadline(at(sentAt), ttlMs)).toBe(want));
});

describe('freshness ends', () => {
  const rows: [title: string, askedAt: number, ageMs: number, want: number][] = [
    ['29.5 s after the question was asked', 1_000, 0, 30_500],
    ['sooner by the age of the gateway’s view', 1_000, 4_000, 26_500],
    ['before the question, for a view as old as freshness itself', 1_000, 30_000, 500],
    ['never later: no view is younger than now', 1_000, -60_000, 30_500],
  ];
  test.each(rows)('%s', (_title, askedAt, ageMs, want) => expect(freshDeadline(at(askedAt), ageMs)).toBe(want));
});

describe('what a vector says is left of a challenge', () => {
  const rows: [title: string, sentAt: number, now: number, want: number][] = [
    ['all of it at once', 0, 0, 15_000],
    ['what has passed is gone', 0, 4_200, 10_800],
    ['rounded down', 0.4, 1_000.1, 14_000],
    ['nothing once it is dead', 0, 15_000, 0],
    ['never less', 0, 60_000, 0],
  ];
  test.each(rows)('%s', (_title, sentAt, now, want) => expect(remainingMs(at(sentAt), at(now))).toBe(want));
});

/** Clocks that differ in rate: what takes a second here takes this many there. */
const rate = fc.double({ min: 1 - CLOCK_RATE_ERROR, max: 1 + CLOCK_RATE_ERROR, noNaN: true });
const delay = fc.integer({ min: 0, max: 60_000 });

describe('a successor is offered only after the old owner is silent, whatever the clocks and the network did', () => {
  test('shared: by the lease', () => {
    fc.assert(
      fc.property(rate, rate, delay, delay, (owner, watcher, toCommit, toSight) => {
        // True time: the last report leaves at 0, the fence commits after it and is seen later still.
        const silentAt = leaseDeadline(at(0), LEASE_MS) / owner;
        const offeredAt = toCommit + toSight + SHARED_TAKEOVER_WAIT_MS / watcher;
        return silentAt < offeredAt;
      }),
    );
  });
  test('dedicated: by freshness, as old as its gateway’s view', () => {
    fc.assert(
      fc.property(rate, rate, rate, delay, delay, delay, (owner, gateway, watcher, sinceEcho, toCommit, toSight) => {
        // True time: the gateway's newest echoed vector was sent at 0, the heartbeat `sinceEcho` later; the fence, which that
        // vector did not see, commits after it.
        const age = sinceEcho * gateway;
        const silentAt = sinceEcho + (freshDeadline(at(0), age) - 0) / owner;
        const offeredAt = toCommit + toSight + DEDICATED_TAKEOVER_WAIT_MS / watcher;
        return age >= FRESHNESS_MS || silentAt < offeredAt;
      }),
    );
  });
});
