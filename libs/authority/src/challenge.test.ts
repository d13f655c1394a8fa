import type { Nonce } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { answer, ask, type Challenges, NO_CHALLENGES, OPEN_CHALLENGES_MAX } from './challenge.ts';
import { at } from './testing/index.ts';
import { LEASE_MS } from './timers.ts';

const nonce = (n: number): Nonce => `nonce-${n}` as Nonce;

/** Asked at these instants, numbered from 1. */
const asked = (...instants: readonly number[]): Challenges =>
  instants.reduce((challenges, ms, index) => ask(challenges, nonce(index + 1), at(ms)).challenges, NO_CHALLENGES);

const rows: [title: string, challenges: Challenges, given: [nonce: number, sequence: number], now: number, want: string][] = [
  ['takes an answer', asked(0), [1, 1], 10, 'answered'],
  ['takes it until the challenge dies', asked(0), [1, 1], LEASE_MS - 1, 'answered'],
  ['refuses it from then on, even if nothing was asked since', asked(0), [1, 1], LEASE_MS, 'challenge_dead'],
  ['refuses a nonce that was never asked', asked(0), [2, 1], 10, 'nonce_unknown'],
  ['refuses the nonce of another sequence', asked(0, 5), [1, 2], 10, 'nonce_unknown'],
  ['refuses a sequence that was never asked', asked(0), [1, 2], 10, 'nonce_unknown'],
  ['refuses all where nothing was asked', NO_CHALLENGES, [1, 1], 10, 'nonce_unknown'],
  ['takes the newer of two', asked(0, 5_000), [2, 2], 5_010, 'answered'],
  ['takes the older, while it lives', asked(0, 5_000), [1, 1], 5_010, 'answered'],
];

test.each(rows)('%s', (_title, challenges, [name, sequence], now, want) => {
  const answered = answer(challenges, { nonce: nonce(name), sequence }, at(now));
  expect(answered.ok ? 'answered' : answered.error).toBe(want);
});

describe('single use', () => {
  test('an answer counts once', () => {
    const first = answer(asked(0), { nonce: nonce(1), sequence: 1 }, at(10));
    if (!first.ok) throw new Error(first.error);
    expect(answer(first.value.challenges, { nonce: nonce(1), sequence: 1 }, at(11))).toEqual({
      ok: false,
      error: 'nonce_unknown',
    });
  });
  test('it uses up what was asked before it, not what was asked after', () => {
    const second = answer(asked(0, 1, 2), { nonce: nonce(2), sequence: 2 }, at(10));
    if (!second.ok) throw new Error(second.error);
    const { challenges } = second.value;
    expect(challenges.open.map((open) => open.sequence)).toEqual([3]);
    expect(answer(challenges, { nonce: nonce(1), sequence: 1 }, at(11)).ok).toBe(false);
    expect(answer(challenges, { nonce: nonce(3), sequence: 3 }, at(11)).ok).toBe(true);
  });
});

describe('what is open is bounded', () => {
  test('by number: the newest stay', () => {
    const { open } = asked(...Array.from({ length: 20 }, (_, ms) => ms));
    expect(open).toHaveLength(OPEN_CHALLENGES_MAX);
    expect(open.at(-1)?.sequence).toBe(20);
  });
  test('by age: the dead go when the next is asked', () => {
    expect(asked(0, 1, LEASE_MS + 1).open.map(({ sequence }) => sequence)).toEqual([3]);
  });
  test('sequences are never used twice', () => expect(asked(0, 1, LEASE_MS + 1).nextSequence).toBe(4));
});
