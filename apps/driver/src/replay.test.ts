import { describe, expect, test } from 'vitest';
import { HISTORIES } from './testing/history.ts';
import { type ReplayFaults, replay } from './testing/replay.ts';

/** Mulberry32: the same seed, the same run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SEEDS = 12;
const kinds: [name: string, faults: ReplayFaults][] = [
  ['nothing goes wrong', {}],
  ['events are lost', { drop: 0.3 }],
  ['all events are lost', { drop: 1 }],
  ['events come late', { delay: 0.05 }],
  ['events come twice, and old ones again', { repeat: 0.5 }],
  ['the stream breaks', { restart: 0.1 }],
  ['the stream breaks and begins again with what was long ago', { restart: 0.1, rewind: 0.7 }],
  ['the stream breaks, history is gone, and another server lags behind', { restart: 0.1, compact: 0.2, lag: 0.7 }],
  ['all of it', { drop: 0.1, delay: 0.03, repeat: 0.3, restart: 0.05, rewind: 0.3, compact: 0.05, lag: 0.5 }],
];

describe.each(kinds)('when %s', (_name, faults) => {
  test.each(HISTORIES.map((history) => [history.name, history] as const))(
    '%s: all resolves in the end as it should, and nothing untrue meanwhile',
    (_title, history) => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const run = replay(history, faults, randomOf(seed));
        expect(run.untrusted, `seed ${seed}`).toEqual([]);
        expect(run.resolved, `seed ${seed}`).toEqual(run.expected);
      }
    },
  );
});

test('what was lost is counted, and where nothing is lost nothing is', () => {
  const [history] = HISTORIES as [(typeof HISTORIES)[number]];
  expect(replay(history, { drop: 1 }, randomOf(1)).differences).toBeGreaterThan(0);
  for (const faults of [{}, { repeat: 0.5 }, { restart: 0.1 }, { delay: 0.05 }])
    expect(replay(history, faults, randomOf(1)).differences).toBe(0);
});
test('lists are made when history is gone, and not when the stream breaks', () => {
  const [history] = HISTORIES as [(typeof HISTORIES)[number]];
  expect(replay(history, { restart: 0.1 }, randomOf(1)).lists).toBe(1);
  expect(replay(history, { restart: 0.1, compact: 0.3 }, randomOf(1)).lists).toBeGreaterThan(1);
});
