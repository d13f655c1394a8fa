import { expect, test } from 'vitest';
import { spreadOf } from './statistics.ts';

test.each([
  [[3], { median: 3, min: 3, max: 3 }],
  [[10, 2, 1], { median: 2, min: 1, max: 10 }],
  [[4, 1, 3, 2], { median: 2.5, min: 1, max: 4 }],
])('%j', (values, want) => {
  expect(spreadOf(values)).toEqual(want);
});

test('of nothing there is none', () => {
  expect(() => spreadOf([])).toThrow('no values');
});
