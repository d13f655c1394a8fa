import type { Instant } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { createTurns } from './event-turns.ts';

const LIMITS = { burst: 4, burstOfOne: 2, refillMs: 1_000, waitingMax: 6 };
const at = (ms: number): Instant => (1_000_000 + ms) as Instant;

function create(limits: Partial<typeof LIMITS> = {}) {
  const turns = createTurns<string>({ ...LIMITS, ...limits });
  /** `a1 a2 b1`: asks for each, in the namespace that its letter names; what came of it. */
  const ask = (keys: string, ms = 0): string =>
    keys
      .split(' ')
      .map((key) => turns.ask(key[0] ?? '', key, key, at(ms)))
      .join(' ');
  const next = (ms: number): string[] => {
    const heard: string[] = [];
    for (let what = turns.next(at(ms)); what !== undefined; what = turns.next(at(ms))) heard.push(what);
    return heard;
  };
  return { turns, ask, next };
}
type Scene = ReturnType<typeof create>;
const each = (from: number, to: number, { next }: Scene): string =>
  Array.from({ length: to - from + 1 }, (_, n) => next((from + n) * 1_000).join('+')).join(' ');

describe('of those that ask at once', () => {
  const rows: [title: string, keys: string, said: string][] = [
    ['one may', 'a1', 'now'],
    ['of one namespace no more than its share', 'a1 a2 a3', 'now now later'],
    ['another namespace may all the same', 'a1 a2 a3 a4 b1', 'now now later later now'],
    ['no more than all together', 'a1 a2 b1 b2 c1', 'now now now now later'],
    ['what waits is not overtaken by its own namespace', 'a1 a2 a3 a4', 'now now later later'],
    ['what waits already waits on', 'a1 a2 a3 a3', 'now now later later'],
    [
      'past all places the fullest namespace gets none',
      'a1 a2 a3 a4 a5 a6 a7 a8 a9',
      'now now later later later later later later left-out',
    ],
  ];
  test.each(rows)('%s', (_title, keys, said) => expect(create().ask(keys)).toBe(said));
});

describe('what waits is heard', () => {
  test('one namespace after the other, however much each has', () => {
    const scene = create({ burst: 1, burstOfOne: 1, waitingMax: 100 });
    scene.ask('a0 a1 a2 a3 a4 b1 b2 c1');
    expect(each(1, 7, scene)).toBe('a1 b1 c1 a2 b2 a3 a4');
  });
  test('within one refill for each namespace that waits, by whoever comes last', () => {
    const scene = create({ burst: 1, burstOfOne: 1, waitingMax: 10_000 });
    for (let n = 0; n < 1_000; n += 1) scene.ask(`a${n}`);
    expect(scene.ask('b1')).toBe('later');
    expect(each(1, 3, scene)).toBe('a1 b1 a2');
  });
  test('no faster than the refill, and never more than a burst after a silence', () => {
    const scene = create();
    scene.ask('a1 a2 b1 b2 a3 b3');
    expect(scene.next(999)).toEqual([]);
    expect(scene.next(1_000)).toEqual(['a3']);
    scene.ask('a4 a5 b4 b5 c1', 1_000);
    expect(scene.next(100_000)).toEqual(['b3', 'a4', 'c1', 'b4']);
  });
  test('as it was said last, at the place that it had', () => {
    const { turns, ask, next } = create();
    ask('a1 a2 a3 a4');
    turns.ask('a', 'a3', 'changed', at(0));
    expect(next(2_000)).toEqual(['changed', 'a4']);
  });
  test('not when it was forgotten, nor twice', () => {
    const { turns, ask, next } = create();
    ask('a1 a2 a3 a4');
    turns.forget('a3');
    turns.forget('never');
    expect([turns.waiting, next(10_000), next(20_000)]).toEqual([1, ['a4'], []]);
  });
  test('in the namespace in which it is now', () => {
    const { turns, ask } = create();
    ask('a1 a2 a3');
    expect(turns.ask('b', 'a3', 'moved', at(0))).toBe('now');
    expect(turns.waiting).toBe(0);
  });
});

describe('where all places are taken', () => {
  test('the fullest namespace gives one up, its latest, for one of another', () => {
    const scene = create({ burst: 2, burstOfOne: 2 });
    scene.ask('a1 a2 a3 a4 a5 a6 a7 a8');
    expect(scene.ask('b1')).toBe('later');
    expect(scene.turns.waiting).toBe(LIMITS.waitingMax);
    expect(each(1, 6, scene)).toBe('a3 b1 a4 a5 a6 a7');
  });
  test('none is given up for one that would have as many', () => {
    const scene = create({ burst: 0, burstOfOne: 0, waitingMax: 4 });
    expect(scene.ask('a1 a2 b1 b2 c1 c2')).toBe('later later later later later left-out');
  });
});
