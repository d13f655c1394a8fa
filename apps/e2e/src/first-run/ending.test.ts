import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { livelyMs } from '@sallyport/process/lively';
import { expect, test, vi } from 'vitest';
import { newFolder, type ReadyFile } from '../stack/dev-stack.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const NPM = ['npm', 'start', '--'];
const SCRIPT = [process.execPath, join(ROOT, 'tools', 'start.mjs'), 'dev'];

/** It promises one second; the rest is for a machine that is busy. */
const SOON_MS = 5_000;
const START_MS = 60_000;

test.concurrent.each([
  ['to npm alone', NPM, (child: ChildProcess) => child.kill('SIGINT')],
  ['to the whole group, as a terminal sends it', NPM, (child: ChildProcess) => process.kill(-(child.pid as number), 'SIGINT')],
  ['to the start script alone', SCRIPT, (child: ChildProcess) => child.kill('SIGINT')],
])(
  'Ctrl-C %s: no process, no port, no file but the CA',
  async (_title, command, interrupt) => {
    const { folder, remove } = await newFolder();
    const [state, readyFile] = [join(folder, 'state'), join(folder, 'ready.json')];
    const [file = '', ...first] = command;
    const child = spawn(file, [...first, '--port=0', `--state-dir=${state}`, `--ready-file=${readyFile}`], {
      cwd: ROOT,
      detached: true,
      stdio: 'ignore',
      env: cleanEnv(),
    });
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    try {
      await vi.waitUntil(() => existsSync(readyFile), { timeout: START_MS, interval: 20 });
      const { processes } = JSON.parse(await readFile(readyFile, 'utf8')) as ReadyFile;
      const pids = [...new Set(processes.map(({ pid }) => pid))];
      const askedAt = livelyMs();
      interrupt(child);
      await ended;
      await vi.waitUntil(() => !pids.some(isAlive), { timeout: START_MS, interval: 10 });
      expect(livelyMs() - askedAt).toBeLessThan(SOON_MS);
      const ports = processes.flatMap(({ port, adminPort }) => [port, adminPort]);
      expect(await Promise.all(ports.map(isOpen))).toEqual(ports.map(() => false));
      expect([await readdir(folder), await readdir(state)]).toEqual([['state'], ['pki']]);
    } finally {
      // Whatever the test found, nothing of it stays.
      killGroup(child);
      await ended;
      await remove();
    }
  },
  120_000,
);

test.concurrent('Ctrl-C while it starts, its keys just made: no file but the CA', async () => {
  const { folder, remove } = await newFolder();
  const main = join(ROOT, 'apps', 'dev', 'src', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=@sallyport/source', main, '--port=0', '--state-dir=state'], {
    cwd: folder,
    stdio: 'ignore',
    env: cleanEnv(),
  });
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  try {
    await vi.waitUntil(() => existsSync(join(folder, 'state', 'signing-keys')), { timeout: START_MS, interval: 1 });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(await readdir(join(folder, 'state'))).toEqual(['pki']);
  } finally {
    child.kill('SIGKILL');
    await ended;
    await remove();
  }
}, 120_000);

const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|SALLYPORT_|INIT_CWD$|VITEST)/.test(name)));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (open: boolean): void => {
      socket.destroy();
      done(open);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
