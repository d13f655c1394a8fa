import { expect, test } from 'vitest';
import { type Model, search } from './search.ts';

/** A number that goes up by one or two; past `end` it stays. */
const climbing = (end: number, broken?: number): Model<number> => ({
  initial: 0,
  keyOf: String,
  *next(at) {
    for (const by of [1, 2]) {
      const state = Math.min(end, at + by);
      yield { name: `+${by}`, state, broken: state === broken ? `never ${broken}` : undefined };
    }
  },
});

const far = { depthMax: 100, statesMax: 1_000 };

test('everything that there is', () => {
  expect(search(climbing(10), far)).toEqual({ states: 11, steps: 22, depth: 5, ended: 'all', broken: undefined });
});

test('all orders of so many events, and no more', () => {
  expect(search(climbing(10), { ...far, depthMax: 2 })).toMatchObject({ states: 5, depth: 2, ended: 'depth' });
});

test('what is too much is given up, and says so', () => {
  expect(search(climbing(10), { ...far, statesMax: 3 })).toMatchObject({ states: 3, ended: 'states', broken: undefined });
});

test('what is broken, by a shortest way', () => {
  const { ended, broken } = search(climbing(10, 4), far);
  expect([ended, broken]).toEqual(['broken', { rule: 'never 4', way: ['+2', '+2'] }]);
});

test('two ways to one state are one state', () => {
  const ring: Model<number> = {
    ...climbing(0),
    *next(at) {
      yield { name: 'round', state: (at + 1) % 3 };
    },
  };
  expect(search(ring, far)).toMatchObject({ states: 3, steps: 3, ended: 'all' });
});
