import { expect, test } from 'vitest';
import { applyEdits, locate, StaleMutant } from './mutant.ts';

const source = 'if (a) return; if (b) return;';

test('a row is found where its text is', () => {
  expect(locate(source, { file: 'x.ts', find: '(b)', becomes: '(false)' })).toEqual({
    file: 'x.ts',
    at: 18,
    was: '(b)',
    becomes: '(false)',
  });
});

const stale: readonly (readonly [title: string, find: string, why: string])[] = [
  ['text that is gone', 'if (c)', 'x.ts no longer has: if (c)'],
  ['text that is there twice', 'return;', 'x.ts has more than once: return;'],
];

test.each(stale)('%s is no mutant', (_title, find, why) => {
  expect(() => locate(source, { file: 'x.ts', find, becomes: '' })).toThrow(new StaleMutant(why));
});

test('edits of one file do not move each other', () => {
  const edits = [
    { file: 'x.ts', at: 4, was: 'a', becomes: 'false' },
    { file: 'x.ts', at: 19, was: 'b', becomes: '!b' },
  ];
  expect(applyEdits(source, edits)).toBe('if (false) return; if (!b) return;');
});

test('code that has moved on is loaded by nobody as if it were mutated', () => {
  expect(() => applyEdits(`// one line more\n${source}`, [{ file: 'x.ts', at: 4, was: 'a', becomes: 'false' }])).toThrow(
    StaleMutant,
  );
});

test('nor edits that overlap', () => {
  const edits = [
    { file: 'x.ts', at: 3, was: '(a)', becomes: '()' },
    { file: 'x.ts', at: 4, was: 'a', becomes: 'bb' },
  ];
  expect(() => applyEdits(source, edits)).toThrow(StaleMutant);
});
