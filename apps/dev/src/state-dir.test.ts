import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimStateDir } from './state-dir.ts';
import { makeTokens } from './tokens.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sallyport-state-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

test('the first stack takes the directory itself, the next ones folders in it; all share the CA', async () => {
  const first = await claimStateDir(undefined, base, process.pid);
  const second = await claimStateDir(undefined, base, process.pid);
  expect([first.run, second.run]).toEqual([base, join(base, '2')]);
  expect(second.pki).toBe(first.pki);
});

test('a directory asked for by name and in use is refused, with the process that has it', async () => {
  await claimStateDir(base, '.sallyport', process.pid);
  await expect(claimStateDir(base, '.sallyport', process.pid)).rejects.toThrow(`in use by process ${process.pid}`);
});

test('the claim of a process that is gone does not count', async () => {
  // No Linux process has an id above this (proc(5), pid_max).
  await writeFile(join(base, 'pid'), '4194305');
  expect((await claimStateDir(base, '.sallyport', process.pid)).run).toBe(base);
  expect(await readFile(join(base, 'pid'), 'utf8')).toBe(String(process.pid));
});

test('what is worthless after the end is removed, and nothing else', async () => {
  const state = await claimStateDir(base, '.sallyport', process.pid);
  await writeFile(join(base, 'admin.token'), 'secret');
  await writeFile(join(base, 'notes.txt'), 'mine');
  await state.release();
  expect(await readdir(base)).toEqual(['notes.txt']);
});

test('no token and no key outlives the stack', async () => {
  const state = await claimStateDir(base, '.sallyport', process.pid);
  await makeTokens(state.run);
  await state.release();
  expect(await readdir(base)).toEqual([]);
});

test('a released directory can be taken again', async () => {
  await (await claimStateDir(base, '.sallyport', process.pid)).release();
  expect((await claimStateDir(base, '.sallyport', process.pid)).run).toBe(base);
});

test('a directory that cannot be made is told, not waited for', async () => {
  await expect(claimStateDir('/proc/sallyport/here', '.sallyport', process.pid)).rejects.toThrow('cannot be made');
});
