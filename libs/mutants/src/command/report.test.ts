import { expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import { allKilled, closing, lineOf } from './report.ts';

const mutant = { id: 'f.ts act: a', kind: 'guard' as const, removes: 'a → false', edits: [], traces: [] };
const killed: Outcome = { kind: 'killed', by: { kind: 'seed', seed: 4, rule: 'one member admits' } };

const rows: readonly (readonly [title: string, outcomes: readonly Outcome[], passes: boolean])[] = [
  ['each killed: the run passes', [killed, { kind: 'killed', by: { kind: 'test', name: 'a test' } }], true],
  ['one survived: it fails', [killed, { kind: 'survived' }], false],
  ['one only crashed: it fails', [killed, { kind: 'crashed', why: 'TypeError' }], false],
];

test.each(rows)('%s', (_title, outcomes, passes) => expect(allKilled(outcomes)).toBe(passes));

test('a line names the mutant, what it removed and who noticed', () => {
  expect(lineOf(mutant, killed)).toBe('killed    f.ts act: a\n          by seed 4: one member admits');
  expect(lineOf({ ...mutant, id: 'margin A', removes: 'A 1 → 0: too late' }, { kind: 'survived' })).toBe(
    'SURVIVED  margin A: A 1 → 0: too late',
  );
});

test('the end names each that was not killed, and counts', () => {
  const text = closing(
    [
      [mutant, killed],
      [{ ...mutant, id: 'f.ts act: b' }, { kind: 'survived' }],
    ],
    3,
    61.4,
  );
  expect(text).toContain('not killed:\nSURVIVED  f.ts act: b');
  expect(text).toContain('2 mutants: 1 killed (1 by a seed), 1 survived, 0 only crashed; 3 spared; 61 s');
});
