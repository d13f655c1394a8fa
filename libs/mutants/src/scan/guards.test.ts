import { expect, test } from 'vitest';
import { type Breadth, guardsOf } from './guards.ts';

const rows: readonly (readonly [title: string, breadth: Breadth, source: string, found: readonly string[]])[] = [
  ['each alternative of a refusal', 'rules', "function f() { if (a || b) return err('x'); }", ['a → false', 'b → false']],
  ['a refusal in a block', 'rules', 'function f() { if (a) { log(); return; } }', ['a → false']],
  [
    'what is inside an alternative as well',
    'rules',
    'function f() { if (a && b) continue_(); if (a && b) return; }',
    ['a → true', 'b → true', 'a && b → false', 'a → true', 'b → true'],
  ],
  ['not a condition under which something more is done', 'rules', 'function f() { if (a) g(); return 1; }', []],
  ['not one with another way', 'rules', 'function f() { if (a) return 1; else g(); }', []],
  ['each part of a value', 'rules', 'const f = () => a === b && c === d;', ['a === b → true', 'c === d → true']],
  ['each alternative of a value', 'rules', 'const stale = a || b;', ['a → false', 'b → false']],
  ['a refusal in a choice', 'rules', "const f = () => (a ? ok(1) : err('x'));", ['a → true']],
  ['the other way round', 'rules', 'const f = () => (a ? undefined : 1);', ['a → false']],
  ['not a choice between two values', 'rules', 'const f = () => (a ? 1 : 2);', []],
  ['not what the compiler asks for', 'rules', 'function f() { if (x === undefined || !y) return; }', ['!y → false']],
  [
    'not a tag before the field that only it has',
    'rules',
    "const f = () => o?.kind === 'owned' && o.by === m;",
    ['o.by === m → true'],
  ],
  [
    'a tag before a field that others might have',
    'rules',
    "const f = () => o.kind === 'owned' && o.by !== m;",
    ["o.kind === 'owned' → true", 'o.by !== m → true'],
  ],
  ['a deadline, so that it never passes', 'store', 'const f = () => clock.now() < until;', ['clock.now() < until → true']],
  ['the other way round', 'store', 'const f = () => now >= later(at, MS);', ['now >= later(at, MS) → false']],
  ['the clock on the right', 'store', 'const f = () => until > now;', ['until > now → true']],
  ['a guard of a transaction', 'store', "write({ guards: [{ key, is: 'absent' }] });", ["{ key, is: 'absent' } → taken out"]],
  [
    'one that depends on what was there',
    'store',
    "const g = p ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision };",
    ["p ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision } → taken out"],
  ],
  ['not a condition of a shell', 'store', 'function f() { if (stopped) return; }', []],
  ['not another kind of object', 'store', "const x = { is: 'here' };", []],
  ['a relation', 'relations', 'const all = [["why", (t) => t.A < t.B]];', ['t.A < t.B → true']],
];

test.each(rows)('%s', (_title, breadth, source, found) => {
  const guards = guardsOf('a.ts', source, breadth);
  const shown = guards.map(({ was, becomes }) => `${was} → ${becomes.includes('taken-out') ? 'taken out' : becomes}`);
  expect(shown.sort()).toEqual([...found].sort());
  for (const { at, was } of guards) expect(source.slice(at, at + was.length)).toBe(was);
});

test('an id names the function, and tells the second from the first', () => {
  const source = 'function take() { if (a) return; }\nconst give = () => { if (a) return; if (a) return; };';
  expect(guardsOf('a.ts', source, 'rules').map(({ id }) => id)).toEqual(['a.ts take: a', 'a.ts give: a', 'a.ts give: a (2)']);
});

test('what cannot be parsed is no file without guards', () => {
  expect(() => guardsOf('a.ts', 'const = ;', 'rules')).toThrow('a.ts cannot be parsed');
});
