import { availableParallelism, loadavg } from 'node:os';
import { expect, test } from 'vitest';
import { measureRevocation } from '../data-plane/revocation.ts';

const COUNT = 1_000;
const BOUND_MS = 250;

test('a withdrawn route: 1,000 tunnels and 1,000 streaming answers end within 250 ms, another 1,000 stay', async (context) => {
  const load = loadavg()[0] ?? 0;
  const { cpuMs, tunnels, streams } = await measureRevocation(COUNT);
  console.log('revocation seen by clients, ms', { cpuMs, tunnels, streams });
  expect([tunnels.count, streams.count]).toEqual([COUNT, COUNT]);
  expect(cpuMs).toBeLessThan(BOUND_MS);
  const max = Math.max(tunnels.max, streams.max);
  // Four processes work here: with others on the same processors the clients measure those.
  if (max >= BOUND_MS && load > availableParallelism()) context.skip(`${max} ms on a busy machine: its load is ${load}`);
  expect(max).toBeLessThan(BOUND_MS);
}, 600_000);
