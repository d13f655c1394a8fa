import { expect, test } from 'vitest';
import { type Listed, troublesOf } from './troubles.ts';

const whole: Listed = {
  mutants: [
    { id: 'f: a', traces: [] },
    { id: 'f: b', traces: [] },
    { id: 'margin LEASE_MS', traces: [] },
    { id: 'T1', traces: ['T1'] },
  ],
  ledger: { 'f: a': 'a test', 'margin LEASE_MS': 'a test', T1: 'seed 1: a rule' },
  spared: { 'f: b': 'a reason' },
  unkilled: [],
  durations: ['LEASE_MS'],
  traces: ['T1'],
  elsewhere: [],
};

test('a whole list has no trouble', () => expect(troublesOf(whole)).toEqual([]));

test('one that lives passes by its name', () =>
  expect(troublesOf({ ...whole, ledger: { ...whole.ledger, 'f: a': 'not killed yet' }, unkilled: ['f: a'] })).toEqual([]));

const rows: readonly (readonly [title: string, change: Partial<Listed>, trouble: string])[] = [
  [
    'a guard that was added',
    { mutants: [...whole.mutants, { id: 'f: c', traces: [] }] },
    'a guard that nobody has tried without: f: c',
  ],
  ['a mutant of which there are two', { mutants: [...whole.mutants, { id: 'f: a', traces: [] }] }, 'twice: f: a'],
  ['a guard that nothing has missed', { ledger: { ...whole.ledger, 'f: a': 'not killed yet' } }, 'not killed yet: f: a'],
  ['a guard that waits for a whole run', { ledger: { ...whole.ledger, 'f: a': 'not judged yet' } }, 'not judged yet: f: a'],
  ['one that is said to live', { unkilled: ['f: a'] }, 'said to live, but killed: f: a'],
  ['a guard that was taken away', { ledger: { ...whole.ledger, 'f: d': 'a test' } }, 'killed, but no longer there: f: d'],
  ['one that was spared', { spared: { ...whole.spared, 'f: d': 'a reason' } }, 'spared, but no longer there: f: d'],
  [
    'one that is spared though it is killed',
    { spared: { ...whole.spared, 'f: a': 'a reason' } },
    'spared, and killed all the same: f: a',
  ],
  ['a duration that was added', { durations: ['LEASE_MS', 'GRACE_MS'] }, 'a duration without a mutant: GRACE_MS'],
  ['an execution that was found', { traces: ['T1', 'T2'] }, 'an execution that no mutant brings back: T2'],
  [
    'a transaction in another file',
    { elsewhere: [{ file: 'g.ts', guards: 2 }] },
    '2 guards of transactions in a file that is no place of guards: g.ts',
  ],
];

test.each(rows)('%s', (_title, change, trouble) => expect(troublesOf({ ...whole, ...change })).toEqual([trouble]));
