// For the tests of the start script: a clone of nothing but that script, where npm and the commands are ours.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';

/** Does what `npm ci` does as far as the start script can see, and says so in npm.log. */
const NPM = `
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
process.stdout.write('added 1 package\\n');
await new Promise((resolve) => setTimeout(resolve, Number(process.env.NPM_TAKES_MS ?? 0)));
if (process.env.NPM_FAILS) process.exit(7);
rmSync('node_modules', { recursive: true, force: true });
const bin = 'node_modules/node-' + process.platform + '-' + process.arch + '/bin';
mkdirSync(bin, { recursive: true });
if (!process.env.NPM_PINS_NOTHING) symlinkSync(process.env.NODE, bin + '/node');
`;

export function createClone() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-start-'));
  const children = [];
  const at = (file) => join(folder, file);
  const write = (file, text) => {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  };
  cpSync(join(root, 'tools/start.mjs'), at('tools/start.mjs'));
  cpSync(join(root, 'tools/start'), at('tools/start'), { recursive: true });
  write('npm-cli.js', NPM);
  write('package.json', JSON.stringify({ name: 'clone', type: 'module', scripts: { test: 'exec node tools/start.mjs test' } }));
  write('package-lock.json', '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');

  return {
    folder,
    write,
    has: (file) => existsSync(at(file)),
    read: (file) => (existsSync(at(file)) ? readFileSync(at(file), 'utf8') : ''),
    remove: (file) => rmSync(at(file), { recursive: true, force: true }),
    /** What `npm test` shall run, as the text of a module. */
    command: (text) => write('tools/test.mjs', text),

    /** Starts the start script, or `file` in its place; the rest is what its callers would see. */
    start(args = ['test'], { env = {}, file = process.execPath, first = [at('tools/start.mjs')] } = {}) {
      const { npm_lifecycle_event: _, npm_node_execpath: __, ...inherited } = process.env;
      const child = spawn(file, [...first, ...args], {
        cwd: folder,
        // A group of its own, as a terminal makes it.
        detached: true,
        env: { ...inherited, NODE: process.execPath, npm_execpath: at('npm-cli.js'), ...env },
      });
      children.push(child);
      return watch(child);
    },

    drop() {
      for (const { pid } of children) quietly(() => process.kill(-pid, 'SIGKILL'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function watch(child) {
  const seen = { pid: child.pid, stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (seen.stdout += text));
  child.stderr.on('data', (text) => (seen.stderr += text));
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ ...seen, code, signal })));
  return {
    seen,
    ended,
    kill: (signal) => process.kill(child.pid, signal),
    killGroup: (signal) => process.kill(-child.pid, signal),
    /** Resolves with what `pattern` found in either stream; polls, because the two come in pieces. */
    async says(pattern) {
      for (;;) {
        const found = pattern.exec(seen.stdout + seen.stderr);
        if (found !== null) return found;
        await sleep(10);
      }
    },
  };
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function isAlive(pid) {
  return quietly(() => process.kill(pid, 0)) === true && !isZombie(pid);
}

/** In a container without an init nobody collects orphans: they have ended all the same. */
function isZombie(pid) {
  return quietly(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) ?? false;
}

function quietly(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}
