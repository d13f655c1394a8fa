import { beforeAll, expect, test } from 'vitest';
import { type Case, measureOutage, type Seen } from '../first-run/outage.ts';

/** How late a client may hear of a deadline: it asks each 50 ms, and a busy machine is slow. */
const HEARS_LATE_MS = 500;

let seen: Readonly<Record<Case, Seen>>;
beforeAll(async () => {
  seen = await measureOutage();
  console.log('seen while the gateway was away', seen);
}, 120_000);

const rows: readonly [name: Case, atLeastMs: number, atMostMs: number, refusal: string][] = [
  ['dedicated push', 15_000, 30_000, 'not_fresh'],
  ['dedicated poll', 10_000, 30_000, 'not_fresh'],
  // What is left of its lease when the gateway goes: the newest report may be as old as a beat, and the vector is late.
  ['shared push', 5_000, 15_000, 'lease_expired'],
];

test.each(rows)(
  '%s: serves for at least %i ms and at most %i ms without its gateway, then 503 %s',
  (name, least, most, refusal) => {
    const { servedUntilMs, refusedFromMs, ...it } = seen[name];
    expect(servedUntilMs).toBeGreaterThan(least);
    expect(servedUntilMs).toBeLessThan(most);
    expect(refusedFromMs).toBeLessThan(most + HEARS_LATE_MS);
    expect([it.status, it.refusal]).toEqual([503, refusal]);
  },
);

test.each(rows)('%s: live streams close at that moment, and none as if it were whole', (name, _least, most) => {
  const { streamEndedMs, tunnelEndedMs, streamEndedClean, refusedFromMs } = seen[name];
  for (const endedMs of [streamEndedMs, tunnelEndedMs]) {
    expect(endedMs).toBeLessThan(most + HEARS_LATE_MS);
    expect(Math.abs(endedMs - refusedFromMs)).toBeLessThan(1_000);
  }
  expect(streamEndedClean).toBe(false);
});

test.each(rows)('%s: serves again by itself once the gateway is back on the same store', (name) => {
  expect(seen[name].resumedMs).toBeLessThan(15_000);
});
