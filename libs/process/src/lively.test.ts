import { setTimeout as pause } from 'node:timers/promises';
import { later } from '@sallyport/model';
import { expect, test } from 'vitest';
import { createClock } from './clock.ts';
import { livelyMachine, livelyMs } from './lively.ts';

function standStill(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('goes on while the process runs, and never faster than the time itself', async () => {
  const [from, began] = [livelyMs(), performance.now()];
  while (livelyMs() - from < 100) await pause(5);
  // A millisecond for the rounding of two differences.
  expect(performance.now() - began).toBeGreaterThan(99);
});

test('stands still while the process does', async () => {
  const from = livelyMs();
  standStill(1_000);
  expect(livelyMs() - from).toBeLessThanOrEqual(50);
});

test('a clock of it has lost nothing to a standstill: what was to be in 300 ms is still to be waited for', async () => {
  const clock = createClock(livelyMachine);
  const due = later(clock.now(), 300);
  standStill(500);
  expect(clock.now() < due).toBe(true);
  await new Promise<void>((rung) => clock.at(due, rung));
  expect(clock.now() >= due).toBe(true);
  clock.stop();
});
