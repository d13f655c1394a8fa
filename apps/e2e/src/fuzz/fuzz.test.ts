import { createClock } from '@sallyport/process';
import { livelyMachine } from '@sallyport/process/lively';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, type Kind, openBench } from './bench.ts';
import { failureLines } from './command/report.ts';

/**
 * A short run on fixed seeds against the strict reader of the RFC; the long one, `npm run fuzz`, asks other servers as well.
 * What failed prints the smallest bytes and the command that runs it again.
 */
const clock = createClock(livelyMachine);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench({ clock, laneCount: 8, peers: [] });
});

afterAll(async () => {
  await bench.close();
  clock.stop();
});

const RUNS: readonly (readonly [title: string, kind: Kind, from: number, count: number])[] = [
  ['every valid request reaches the application', 'valid', 1, 300],
  ['the application sees what a strict reader sees of mutated requests, or none', 'mutated', 1, 1_200],
  ['a client gets a well-formed answer or an unfinished one, and the next request its own', 'response', 1, 500],
];

/** Eight seconds of a processor, which a busy machine may stretch. */
const SLOW_MACHINE_MS = 120_000;

test.each(RUNS)(
  '%s',
  async (_title, kind, from, count) => {
    const { failures, totals } = await bench.run({ kind, from, count });
    expect(failures.flatMap(failureLines)).toEqual([]);
    expect(totals.validReached).toBe(totals.valid);
    expect(totals.mutatedReached).toBeGreaterThanOrEqual(0.3 * totals.mutated);
  },
  SLOW_MACHINE_MS,
);
