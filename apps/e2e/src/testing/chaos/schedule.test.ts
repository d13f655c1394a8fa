import { describe, expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { KINDS, lineOf, scheduleOf } from './schedule.ts';
import { targetsOf, WORLD } from './world.ts';

const TARGETS = targetsOf(WORLD);

const linesOf = (seed: number, faults = 100, minutes = 20): readonly string[] =>
  scheduleOf({ seed, minutes, faults }, TARGETS).flatMap((round) => round.faults.map(lineOf));

test('the same seed is the same schedule, another seed another', () => {
  expect(linesOf(7)).toEqual(linesOf(7));
  expect(linesOf(7)).not.toEqual(linesOf(8));
});

describe.each([1, 2, 3, 4, 5])('seed %i', (seed) => {
  const rounds = scheduleOf({ seed, minutes: 20, faults: 100 }, TARGETS);
  const faults = rounds.flatMap((round) => round.faults);
  test('has as many faults as were asked for, numbered in their order', () => {
    expect(faults.length).toBeGreaterThanOrEqual(100);
    expect(faults.map(({ number }) => number)).toEqual(faults.map((_fault, index) => index + 1));
  });
  test('is as long as was asked for, about', () => {
    expect(rounds.at(-1)?.at).toBeGreaterThan(18 * 60_000);
    expect(rounds.at(-1)?.at).toBeLessThan(22 * 60_000);
  });
  test('never does two things at once to one target', () => {
    for (const { faults: each } of rounds) expect(new Set(each.map(({ target }) => target)).size).toBe(each.length);
  });
  test('begins a round after all faults of the one before have healed', () => {
    for (const [index, round] of rounds.entries())
      for (const { at, forMs } of rounds[index - 1]?.faults ?? []) expect(at + forMs).toBeLessThan(round.at);
  });
});

test('what can be broken has one order, whatever came up first', () => {
  expect(TARGETS).toEqual({
    etcd: ['m1', 'm2', 'm3'],
    gateways: ['gateway-1', 'gateway-2', 'gateway-3'],
    supervisors: ['shared-1', 'shared-2', 'only-d', 'only-e'],
    slow: ['only-e'],
    boundaries: ['a', 'b', 'd'],
  });
});

test('in the long run every kind of fault comes up', () => {
  const kinds = new Set(
    scheduleOf({ seed: 1, minutes: 600, faults: 3_000 }, TARGETS).flatMap(({ faults }) => faults.map(({ kind }) => kind)),
  );
  expect([...kinds].toSorted()).toEqual(Object.keys(KINDS).toSorted());
});

test('the short form leaves out what is waited out for long', () => {
  const faults = scheduleOf({ seed: 1, minutes: 60, faults: 400, short: true }, TARGETS).flatMap((round) => round.faults);
  expect(faults.filter(({ target, forMs }) => target === 'only-e' || forMs > 6_000)).toEqual([]);
});

const refused: readonly [args: readonly string[], why: RegExp][] = [
  [['--minutes', '0'], /--minutes is a whole number/],
  [['--minutes', 'ten'], /--minutes is a whole number/],
  [['--faults', '-1'], /argument|--faults/],
  [['--seed', '1.5'], /--seed is a whole number/],
  [['--sed', '1'], /Unknown option/],
];
test.each(refused)('%j is refused', (args, why) => expect(readOptions(args)).toMatch(why));
