import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClone, isAlive, sleep } from './clone.mjs';
import { findNpm } from './npm.mjs';

/** It promises one second, or six for what does not listen; the rest is for a machine that is busy. */
const SOON_MS = 20_000;

let clone;
beforeEach(async () => {
  clone = createClone();
  clone.command('');
  // So that what follows installs nothing.
  await clone.start().ended;
});
afterEach(() => clone.drop());

/** A command with a child in its own session; says the pids of both when it runs. */
const family = (onSignal, onSaid = '') => `
  import { spawn } from 'node:child_process';
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log(0)'],
    { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => {
    console.log('family ' + process.pid + ' ' + child.pid);
    ${onSaid}
  });
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { count += 1; ${onSignal} });
  setInterval(() => {}, 1000);
`;
const OBEYS = "console.log('got ' + signal); setTimeout(() => { console.log('count ' + count); process.exit(5); }, 100);";
const IGNORES = '';

async function running(run) {
  const [, ...pids] = await run.says(/family (\d+) (\d+)/);
  return pids.map(Number);
}

/** Resolves to how it ended and how long it took, once all of `pids` are gone or `SOON_MS` have passed. */
async function endsSoon(run, pids) {
  const from = performance.now();
  const how = await Promise.race([run.ended, sleep(SOON_MS)]);
  while (pids.some(isAlive) && performance.now() - from < SOON_MS) await sleep(10);
  return { ...how, left: pids.filter(isAlive) };
}

test('passes on the exit code', async () => {
  clone.command('process.exit(3);');
  expect((await clone.start().ended).code).toBe(3);
});

test('passes on the signal that killed the command', async () => {
  clone.command("process.kill(process.pid, 'SIGKILL');");
  expect((await clone.start().ended).signal).toBe('SIGKILL');
});

test('the command has the terminal, and its Node is the first on PATH', async () => {
  clone.command('console.log(process.env.PATH.split(":")[0]); process.stderr.write("err");');
  const { stdout, stderr } = await clone.start().ended;
  expect(stdout).toMatch(/\/bin\n$/);
  expect(stderr).toBe('err');
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '%s to the start script alone ends the command and all that it started',
  async (signal) => {
    clone.command(family(OBEYS));
    const run = clone.start();
    const pids = await running(run);
    run.kill(signal);
    expect(await endsSoon(run, pids)).toMatchObject({
      code: 5,
      left: [],
      stdout: expect.stringContaining(`got ${signal}\ncount 1\n`),
    });
  },
);

test('a command that needs its time to end, on a slow machine, has it: what is killed leaves its files behind', async () => {
  clone.command(family(OBEYS.replace('100)', '2_000)')));
  const run = clone.start();
  const pids = await running(run);
  run.kill('SIGINT');
  expect(await endsSoon(run, pids)).toMatchObject({ code: 5, left: [] });
});

test('Ctrl-C reaches the whole group and ends it', async () => {
  clone.command(family(OBEYS));
  const run = clone.start();
  const pids = await running(run);
  run.killGroup('SIGINT');
  expect(await endsSoon(run, pids)).toMatchObject({ code: 5, left: [] });
});

test('repeats within a second are one', async () => {
  clone.command(family(OBEYS));
  const run = clone.start();
  const pids = await running(run);
  for (let i = 0; i < 3; i += 1) {
    run.kill('SIGINT');
    await sleep(20);
  }
  expect(await endsSoon(run, pids)).toMatchObject({ code: 5, left: [], stdout: expect.stringContaining('count 1\n') });
});

test('a command that does not listen is ended all the same', async () => {
  clone.command(family(IGNORES));
  const run = clone.start();
  const pids = await running(run);
  run.kill('SIGINT');
  expect(await endsSoon(run, pids)).toMatchObject({ signal: 'SIGINT', left: [] });
});

test('what a command leaves behind goes with it', async () => {
  clone.command(family(OBEYS, 'process.exit(0);'));
  const run = clone.start();
  const pids = await running(run);
  expect(await endsSoon(run, pids)).toMatchObject({ code: 0, left: [] });
});

const npm = findNpm();
test.skipIf(npm === undefined).each([
  ['npm is interrupted alone', 'kill', 'SIGINT'],
  ['npm is ended alone', 'kill', 'SIGTERM'],
  ['npm is killed', 'kill', 'SIGKILL'],
  ['the terminal interrupts all', 'killGroup', 'SIGINT'],
])('under npm: when %s, nothing is left', async (_title, kill, signal) => {
  clone.command(family(OBEYS));
  const [file, ...first] = npm;
  const run = clone.start(['test'], { file, first });
  const pids = await running(run);
  run[kill](signal);
  expect((await endsSoon(run, pids)).left).toEqual([]);
});
