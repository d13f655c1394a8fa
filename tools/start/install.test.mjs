import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClone } from './clone.mjs';

let clone;
beforeEach(() => {
  clone = createClone();
  clone.command('console.log(JSON.stringify([process.argv.slice(2), process.execPath]));');
});
afterEach(() => clone.drop());

const installs = () => clone.read('npm.log').split('\n').filter(Boolean);
const deadPid = () => spawnSync(process.execPath, ['-e', '0']).pid;
const pinned = () => `node_modules/node-${process.platform}-${process.arch}/bin/node`;

test('installs with what every command needs, says so in one line, and then runs the command on the pinned Node', async () => {
  const { code, stdout, stderr } = await clone.start(['test', 'a b', '--flag']).ended;
  expect(code).toBe(0);
  expect(installs()).toEqual(['ci --include=dev --include=optional --no-audit --no-fund --loglevel=error']);
  const [args, node] = JSON.parse(stdout);
  expect(args).toEqual(['a b', '--flag']);
  expect(node === process.execPath || node.endsWith(pinned())).toBe(true);
  expect(stderr).toMatch(/^sallyport: installing packages.*\nadded 1 package\n$/);
});

test('does not install again', async () => {
  await clone.start().ended;
  const { stderr } = await clone.start().ended;
  expect(installs()).toHaveLength(1);
  expect(stderr).toBe('');
});

test('installs again when package-lock.json has changed', async () => {
  await clone.start().ended;
  clone.write('package-lock.json', '{}');
  await clone.start().ended;
  expect(installs()).toHaveLength(2);
});

test('takes what an npm ci by hand has installed', async () => {
  clone.write(
    'package-lock.json',
    '{"packages":{"node_modules/a":{"version":"1.0.0"},"node_modules/b":{"optional":true,"os":["aix"]}}}',
  );
  clone.write('node_modules/.package-lock.json', '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');
  await clone.start().ended;
  expect(installs()).toEqual([]);
  expect(clone.has('node_modules/.sallyport-installed')).toBe(true);
});

test.each([
  ['of another version', '{"node_modules/a":{"version":"1.0.1"}}'],
  ['without a package', '{}'],
])('does not take an install by hand %s', async (_title, packages) => {
  clone.write('node_modules/.package-lock.json', `{"packages":${packages}}`);
  await clone.start().ended;
  expect(installs()).toHaveLength(1);
});

test('two at once install once: the second waits, and says for whom', async () => {
  const env = { NPM_TAKES_MS: '400' };
  const runs = [clone.start(['test'], { env }), clone.start(['test'], { env }), clone.start(['test'], { env })];
  const ended = await Promise.all(runs.map((run) => run.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(installs()).toHaveLength(1);
  expect(ended.filter(({ stderr }) => /waiting for another install to end \(process \d+\)/.test(stderr))).toHaveLength(2);
  expect(clone.has('.installing')).toBe(false);
});

test('a dead process holds no lock', async () => {
  clone.write('.installing/pid', String(deadPid()));
  const runs = [clone.start(), clone.start()];
  const ended = await Promise.all(runs.map((run) => run.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(installs()).toHaveLength(1);
});

test('a lock lives as long as the npm of the one that was killed', async () => {
  clone.write('.installing/pid', `${deadPid()}\n${process.pid}`);
  const run = clone.start();
  await run.says(/waiting for another install/);
  expect(installs()).toEqual([]);
  clone.remove('.installing');
  expect((await run.ended).code).toBe(0);
});

test('a failed install is one clear line, and leaves neither lock nor stamp', async () => {
  const { code, stdout, stderr } = await clone.start(['test'], { env: { NPM_FAILS: '1' } }).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^sallyport: npm ci failed with exit code 7 .*run this again$/);
  expect(clone.has('.installing')).toBe(false);
  expect((await clone.start().ended).code).toBe(0);
});

test('an interrupted install leaves neither lock nor stamp', async () => {
  const run = clone.start(['test'], { env: { NPM_TAKES_MS: '60000' } });
  await run.says(/installing/);
  while (installs().length === 0) await run.says(/./);
  run.kill('SIGINT');
  const { signal, stdout } = await run.ended;
  expect({ signal, stdout }).toEqual({ signal: 'SIGINT', stdout: '' });
  expect(clone.has('.installing')).toBe(false);
  expect(clone.has('node_modules')).toBe(false);
});

test('without npm it says what is missing', async () => {
  const { code, stderr } = await clone.start(['test'], { env: { npm_execpath: undefined, PATH: '/nowhere' } }).ended;
  expect(code).toBe(1);
  expect(stderr).toBe('sallyport: found no npm beside this Node or on PATH; install npm 10 or newer and run this again\n');
});

test('finds the npm on PATH when npm did not call it', async () => {
  clone.write('bin/npm', '');
  clone.remove('bin/npm');
  spawnSync('ln', ['-s', '../npm-cli.js', 'bin/npm'], { cwd: clone.folder });
  const { code } = await clone.start(['test'], { env: { npm_execpath: undefined, PATH: `${clone.folder}/bin` } }).ended;
  expect(code).toBe(0);
  expect(installs()).toHaveLength(1);
});

test('on a Node that is too old, with no pinned one, it says so in one line', async () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  const env = { NPM_PINS_NOTHING: '1', NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` };
  const { code, stderr } = await clone.start(['test'], { env }).ended;
  expect(code).toBe(1);
  expect(stderr.trim().split('\n').at(-1)).toMatch(
    /^sallyport: needs Node 22\.19 or newer \(this is 20\.20\.2, .*\); install Node 24/,
  );
});

test('on a Node that is new enough, no pinned one is needed', async () => {
  const { code, stdout } = await clone.start(['test'], { env: { NPM_PINS_NOTHING: '1' } }).ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)[1]).toBe(process.execPath);
});

test('an unknown command is answered with the known ones', async () => {
  const { code, stderr } = await clone.start(['tset']).ended;
  expect(code).toBe(64);
  expect(stderr).toMatch(/^sallyport: no command "tset"; commands: .*\btest\b.*\n$/);
  expect(installs()).toEqual([]);
});
