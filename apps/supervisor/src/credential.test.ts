import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openCredential } from './credential.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-credential-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'token');

test('is the token that the file holds at each use, not at the start', () => {
  writeFileSync(file, 'first\n');
  const opened = openCredential(file);
  if (!opened.ok) throw new Error(opened.error);
  expect(opened.value()).toBe('first');
  writeFileSync(file, 'second');
  expect(opened.value()).toBe('second');
  rmSync(file);
  expect(opened.value(), 'while the file is being replaced').toBe('second');
  writeFileSync(file, '');
  expect(opened.value(), 'while it is empty').toBe('second');
  writeFileSync(file, 'third token');
  expect(opened.value(), 'while it holds what is none').toBe('second');
});

const refused: [title: string, contents: string | undefined, why: RegExp][] = [
  ['no file', undefined, /cannot be read \(ENOENT\)/],
  ['an empty one', ' \n', /is empty/],
  ['a token with a blank inside', 'first second\n', /holds no token: one has no blanks/],
  ['two tokens', 'first\nsecond\n', /holds no token/],
  ['a token with what is no ASCII', 'first\u00a0second', /holds no token/],
  ['one longer than any gateway takes', 'x'.repeat(8_193), /at most 8192 characters/],
  ['one that is no token', 'x'.repeat(70_000), /right file/],
];
test.each(refused)('%s is refused at the start', (_title, contents, why) => {
  rmSync(file, { force: true });
  if (contents !== undefined) writeFileSync(file, contents);
  const opened = openCredential(file);
  expect(opened.ok ? '' : opened.error).toMatch(why);
});
