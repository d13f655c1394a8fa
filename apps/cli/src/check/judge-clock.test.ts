import { expect, test } from 'vitest';
import { judgeClock } from './judge-clock.ts';

const AT = 1_800_000_000_000;
const rows: [title: string, serverMs: number, state: string, detail: RegExp][] = [
  ['the same second', AT, 'holds', /^goes with/],
  ['the second before, still remembered', AT - 1_000, 'holds', /^goes with/],
  ['an answer that took a second and a half', AT - 2_000, 'holds', /^goes with/],
  ['three seconds ahead', AT + 3_000, 'holds', /about 4 s ahead of this machine's/],
  ['four seconds behind', AT - 4_000, 'holds', /about 4 s behind this machine's/],
  ['six seconds ahead', AT + 6_000, 'fails', /is 7 s ahead of/],
  ['six seconds behind', AT - 6_000, 'fails', /is 6 s behind/],
  ['a clock of 1970', 0, 'fails', /behind/],
];
test.each(rows)('%s', (_title, serverMs, state, detail) => {
  const found = judgeClock('gateway clock', { serverMs, heardAtMs: AT });
  expect(found).toMatchObject({ state, detail: expect.stringMatching(detail) });
  expect(found.nextStep === '').toBe(state === 'holds');
});
