import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Announcement } from '@sallyport/process';

/** Processes of bundles, each alone in a folder that has nothing else, with an environment that names nothing. */
export interface Bundled {
  /** Where it listens, by the name of the port. */
  readonly announced: Announcement;
  /** Ends it as an orchestrator does; resolves with its exit code. */
  end(): Promise<number | null>;
}

const ROOT = join(import.meta.dirname, '../..');
/** On a busy machine; milliseconds. */
const START_MS = 25_000;
const LOOK_EVERY_MS = 20;
const LAST_WORDS_MAX = 2_000;

const run = promisify(execFile);

/** Makes the bundles of these apps under a folder. */
export async function bundle(folder: string, apps: readonly string[]): Promise<void> {
  await run(process.execPath, [join(ROOT, 'tools/bundle.mjs'), `--out=${join(folder, 'bundles')}`, ...apps], { cwd: ROOT });
}

/** An empty folder with the bundle in it, and nothing above it that Node could find. */
function place(folder: string, app: string): string {
  mkdirSync(join(folder, 'places'), { recursive: true });
  const alone = mkdtempSync(join(folder, 'places', `${app}-`));
  copyFileSync(join(folder, 'bundles', `${app}.mjs`), join(alone, 'main.mjs'));
  if (readdirSync(alone).join() !== 'main.mjs') throw new Error('the bundle is not alone');
  return alone;
}

/** Runs a bundle to its end; what it prints. Rejects when it fails. */
export async function runBundle(folder: string, app: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['main.mjs', ...args], { cwd: place(folder, app), env: {} });
  return stdout;
}

export async function startBundle(folder: string, app: string, options: Readonly<Record<string, string>>): Promise<Bundled> {
  const cwd = place(folder, app);
  const given = { ...options, 'announce-file': 'announced.json', 'admin-listen': '127.0.0.1:0' };
  const args = Object.entries(given).map(([name, value]) => `--${name}=${value}`);
  // The channel is never used: that it closes tells the process that its starter is gone.
  const child = spawn(process.execPath, ['main.mjs', ...args], { cwd, env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let lastWords = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-LAST_WORDS_MAX);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const announced = await announcement(child, join(cwd, 'announced.json'), () => `${app}: ${lastWords}`);
  return {
    announced,
    end() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

async function announcement(child: ChildProcess, file: string, why: () => string): Promise<Announcement> {
  const giveUpAt = performance.now() + START_MS;
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Announcement;
    } catch {
      if (child.exitCode !== null || performance.now() > giveUpAt) {
        child.kill('SIGKILL');
        throw new Error(why());
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

/** Whether the process says of itself that it is ready. */
export const isReady = async ({ announced }: Bundled): Promise<boolean> =>
  (await fetch(`http://${announced.admin.host}:${announced.admin.port}/readyz`)).ok;
