import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isId } from '@sallyport/model';
import { expect, test } from 'vitest';
import { randomId, sha256hex } from './random.ts';
import { writeFileAtomic } from './write-file.ts';

const folder = () => mkdtemp(join(tmpdir(), 'write-'));

test.each([0o600, 0o644, 0o666])('writes with mode %o whatever the umask', async (mode) => {
  const path = join(await folder(), 'token');
  const before = process.umask(0o077);
  try {
    await writeFileAtomic(path, 'secret', mode);
  } finally {
    process.umask(before);
  }
  expect(await readFile(path, 'utf8')).toBe('secret');
  expect((await stat(path)).mode & 0o777).toBe(mode);
});
test('replaces, and tightens the mode of what was there', async () => {
  const directory = await folder();
  const path = join(directory, 'token');
  await writeFile(path, 'old and longer', { mode: 0o644 });
  await writeFileAtomic(path, new Uint8Array([110, 101, 119]), 0o600);
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['token']);
});
test('leaves nothing behind when it cannot', async () => {
  const directory = await folder();
  await writeFile(join(directory, 'taken'), '');
  await expect(writeFileAtomic(join(directory, 'absent', 'x'), '', 0o600)).rejects.toThrow(/ENOENT/);
  // A directory cannot be replaced by a file.
  await expect(writeFileAtomic(directory, '', 0o600)).rejects.toThrow();
  expect(await readdir(directory)).toEqual(['taken']);
});

test('random ids are valid ids and differ', () => {
  const ids = Array.from({ length: 5_000 }, randomId);
  expect(ids.filter((id) => !isId(id) || id.length !== 22)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
test('digests text as UTF-8, as bytes', () => {
  expect(sha256hex('é')).toBe(sha256hex(new TextEncoder().encode('é')));
  expect(sha256hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
