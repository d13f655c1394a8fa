import { expect, test } from 'vitest';
import { floorLines } from './floors.ts';

const idle = (median: number) => ({ idle: { us: { kind: 'measured' as const, median, min: 0, max: 0, cpuPerOp: 1 } } });
const small = (value: number, cpu: number) => ({ small: { nginx: { value, cpu } } });

test.each([
  ['at the floor', {}, small(0.55, 0.55), [true, true]],
  ['below it by processor time alone', {}, small(0.9, 0.54), [true, false]],
  ['below it by the figure alone', {}, small(0.54, 0.9), [false, true]],
  ['by processor time only', {}, { tls: { nginx: { value: 0.1, cpu: 0.8 } } }, [true]],
  ['a peer without a floor', {}, { small: { haproxy: { value: 0.1, cpu: 0.1 } } }, []],
  ['memory at the most', idle(60), {}, [true]],
  ['memory above', idle(60.1), {}, [false]],
  ['nothing measured', {}, {}, []],
])('%s', (_title, figures, ratios, want) => {
  expect(floorLines(figures, ratios).map(({ holds }) => holds)).toEqual(want);
});

test('says what it is and what it should be', () => {
  expect(floorLines({}, small(0.6, 0.5)).map(({ text }) => text)).toEqual([
    'small: 0.60 x nginx by figure, at least 0.55',
    'small: 0.50 x nginx by processor time, at least 0.55',
  ]);
});
