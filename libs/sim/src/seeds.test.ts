// A few seeds at each `npm test`; `npm run sim -- --seeds 500` is the real thing.
import { expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const MINUTES = 8;
const LONG_MS = 60_000;

test.each(SEEDS)(
  'seed %i breaks no rule',
  async (seed) => {
    const { violations, evaluations, virtualMs } = await runSeed({ seed, minutes: MINUTES });
    expect(violations).toEqual([]);
    expect(virtualMs).toBeGreaterThanOrEqual(MINUTES * 60_000);
    expect(evaluations['one member admits']).toBeGreaterThan(10_000);
  },
  LONG_MS,
);

test(
  'one seed is one history',
  async () => {
    const [first, second] = [
      await runSeed({ seed: 7, minutes: 3, reads: 'detail' }),
      await runSeed({ seed: 7, minutes: 3, reads: 'detail' }),
    ];
    expect(second.transcript).toEqual(first.transcript);
    expect([second.eventCount, second.digest]).toEqual([first.eventCount, first.digest]);
    expect(first.transcript.length).toBeGreaterThan(1_000);
  },
  LONG_MS,
);

test(
  'who reads along changes nothing',
  async () => {
    const [read, unread] = [await runSeed({ seed: 8, minutes: 3, reads: 'detail' }), await runSeed({ seed: 8, minutes: 3 })];
    expect([unread.digest, unread.eventCount, unread.coverage]).toEqual([read.digest, read.eventCount, read.coverage]);
  },
  LONG_MS,
);

test(
  'a store that compares no guard is found out within ten seeds',
  async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { violations } = await runSeed({ seed, minutes: 10, guardsOff: true });
      if (violations.length > 0) return;
    }
    expect.fail('ten seeds saw nothing');
  },
  LONG_MS,
);
