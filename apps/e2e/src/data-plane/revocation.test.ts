import { expect, test } from 'vitest';
import { measureRevocation } from './revocation.ts';

/** A fifth of the load, and room for a machine that does other things; the figure as promised is in revocation.e2e.ts. */
const COUNT = 200;
const BOUND_MS = 2_000;

test('a withdrawn route: all of its streams end, and none of another route', async () => {
  const { cpuMs, tunnels, streams } = await measureRevocation(COUNT);
  console.log('revocation seen by clients, ms', { cpuMs, tunnels, streams });
  expect([tunnels.count, streams.count]).toEqual([COUNT, COUNT]);
  expect(Math.max(tunnels.max, streams.max)).toBeLessThan(BOUND_MS);
}, 120_000);
