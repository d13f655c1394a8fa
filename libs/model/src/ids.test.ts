import { describe, expect, test } from 'vitest';
import { isPort } from './configuration.ts';
import { ID_LENGTH_MAX, isId } from './ids.ts';
import { assert, err, ok } from './result.ts';

describe('an id from outside', () => {
  const rows: [title: string, text: string, want: boolean][] = [
    ['a Pod UID', '2f1f7c0e-6a39-4b2f-9c62-0a8f4b1f2f11', true],
    ['letters, digits and . _ : -', 'Aa0._:-z', true],
    ['as long as may be', 'a'.repeat(ID_LENGTH_MAX), true],
    ['empty', '', false],
    ['one too long', 'a'.repeat(ID_LENGTH_MAX + 1), false],
    ['a slash: it would be a part of another key', 'a/b', false],
    ['a space', 'a b', false],
    ['a dot first', '.a', false],
    ['a hyphen first', '-a', false],
    ['a line end', 'a\n', false],
    ['a NUL', 'a\0', false],
    ['a letter beyond ASCII', 'ä', false],
  ];
  test.each(rows)('%s', (_title, text, want) => expect(isId(text)).toBe(want));
});

test.each([
  [1, true],
  [65_535, true],
  [0, false],
  [65_536, false],
  [80.5, false],
  [-1, false],
  [Number.NaN, false],
])('port %d: %s', (port, want) => expect(isPort(port)).toBe(want));

test('a refusal is a value; a broken invariant is not', () => {
  expect(ok(1)).toEqual({ ok: true, value: 1 });
  expect(err('late')).toEqual({ ok: false, error: 'late' });
  expect(() => assert(true, 'holds')).not.toThrow();
  expect(() => assert(false, 'epochs only rise')).toThrow('broken invariant: epochs only rise');
});
