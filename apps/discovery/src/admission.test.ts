import type { Instant } from '@sallyport/model';
import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

const at = (ms: number): Instant => ms as Instant;

test('a principal holds so many streams and no more, until one is given back', () => {
  const admission = createAdmission({ streamsMax: 2, opensPerSecondMax: 100 });
  const held = [admission.hold('a'), admission.hold('a')];
  expect(admission.hold('a')).toMatchObject({ ok: false, error: { kind: 'over-limit' } });
  expect(admission.hold('b').ok).toBe(true);
  const [first] = held;
  if (first?.ok) {
    first.value();
    first.value();
  }
  expect([admission.streamCount, admission.hold('a').ok, admission.hold('a').ok]).toEqual([2, true, false]);
});

test('a principal begins so many a second, after a pause twice as many at once', () => {
  const admission = createAdmission({ streamsMax: 100, opensPerSecondMax: 5 });
  const begins = (ms: number): number => {
    let count = 0;
    while (admission.begin('a', at(ms)).ok) count += 1;
    return count;
  };
  expect([begins(0), begins(0), begins(1_000), begins(1_100), begins(60_000)]).toEqual([10, 0, 5, 0, 10]);
  expect(admission.begin('b', at(0)).ok).toBe(true);
});
