import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileAtomic, writeFileAtomic } from './write.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([0o600, 0o644, 0o666])('writes with mode %o whatever the umask', async (mode) => {
  const path = join(folder, 'token');
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
  const path = join(folder, 'token');
  await writeFile(path, 'old and longer', { mode: 0o644 });
  await writeFileAtomic(path, new Uint8Array([110, 101, 119]), 0o600);
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['token']);
});

test('creates once: of those who come together one does, and nobody replaces', async () => {
  const path = join(folder, 'ca.pem');
  const made = await Promise.all(['a', 'b', 'c'].map((text) => createFileAtomic(path, text, 0o600)));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await readFile(path, 'utf8')).toBe('abc'[made.indexOf(true)]);
  expect(await readdir(folder)).toEqual(['ca.pem']);
});

test.each([
  ['in a directory that is not there', 'absent/x', /ENOENT/],
  ['in the place of a directory', 'taken', /EISDIR|EEXIST|ENOTEMPTY/],
])('%s: refused, nothing left behind', async (_title, name, error) => {
  await mkdir(join(folder, 'taken'));
  await expect(writeFileAtomic(join(folder, name), '', 0o600)).rejects.toThrow(error);
  expect(await readdir(folder)).toEqual(['taken']);
});

const WRITE = JSON.stringify(new URL('./write.ts', import.meta.url).href);
const BEGIN = `
  import { readdirSync, rmSync } from 'node:fs';
  import { writeFileAtomic } from ${WRITE};
  const folder = process.argv[1];
  for (let n = 0; n < 8; n += 1) writeFileAtomic(folder + '/' + n, 'secret'.repeat(100_000), 0o600);
`;

test.each([
  ['at once', `${BEGIN} process.exit(0);`],
  ['while they are written', `${BEGIN} setImmediate(() => setImmediate(() => process.exit(0)));`],
  ['by an error that nobody caught', `${BEGIN} setImmediate(() => { throw new Error('over'); });`],
])('a process that ends %s leaves no half of a file', async (_title, script) => {
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, folder]).catch(() => undefined);
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('who clears up at the end of the process finds every file either in its place or gone', async () => {
  const clearing = `${BEGIN} process.on('exit', () => { for (const name of readdirSync(folder)) rmSync(folder + '/' + name); });
    const look = () => (readdirSync(folder).includes('3') ? process.exit(0) : setImmediate(look)); look();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', clearing, folder]);
  expect(await readdir(folder)).toEqual([]);
});
