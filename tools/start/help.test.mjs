import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from './commands.mjs';
import { help, helpFor } from './help.mjs';
import { root } from './root.mjs';

/** These read their options themselves, and --help with them. */
const ANSWER_THEMSELVES = ['dev', 'cli', 'bench', 'build'];

test('each command answers --help', () => {
  expect(
    Object.keys(commands)
      .filter((name) => !(name in help))
      .toSorted(),
  ).toEqual(ANSWER_THEMSELVES.toSorted());
});

/** Where the program itself says what it takes. */
const sources = [
  ['chaos', 'apps/e2e/src/testing/chaos/options.ts'],
  ['fuzz', 'apps/e2e/src/fuzz/command/options.ts'],
  ['sim', 'libs/sim/src/command/options.ts'],
  ['mutants', 'libs/mutants/src/command/options.ts'],
];
test.each(sources)('%s: every option of the program is told, and no other', (name, file) => {
  const usage = /USAGE =\s+'(.*)'/.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? '';
  const taken = usage.match(/--[a-z][a-z-]*/g) ?? [];
  const told = help[name].slice(2).map(([option]) => option.split(' ')[0]);
  expect(told.toSorted()).toEqual([...new Set(taken)].toSorted());
});

describe('asked', () => {
  test.each([['--help'], ['-h'], ['--seeds', '3', '--help']])('with %j', (...args) =>
    expect(helpFor('sim', args)).toMatch(
      /^Usage: npm run sim -- \[options\]\n[\s\S]*\n {2}--seeds N {5,}how many histories \(100\)\n/,
    ),
  );
  test.each([
    ['sim', []],
    ['sim', ['--seeds', '3']],
    ['dev', ['--help']],
    ['toString', ['--help']],
  ])('or not: %s %j', (name, args) => expect(helpFor(name, args)).toBeUndefined());
});
