import { existsSync, rmSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CannotStart } from '@sallyport/process';

/** Where one running stack keeps its files. Several stacks of one checkout share the CA, so that it is trusted once. */
export interface StateDir {
  /** Tokens, keys and the ready file of this stack; all gone when it has ended. */
  readonly run: string;
  /** CA and certificates; kept, because people trust the CA once. */
  readonly pki: string;
  /** Ends the claim and removes what is worthless now. */
  release(): Promise<void>;
}

const STACKS_MAX = 64;

/**
 * Takes the directory for this process. Without a name of its own a second stack takes a folder inside the default one;
 * a directory that was asked for by name and is in use is refused.
 */
export async function claimStateDir(given: string | undefined, byDefault: string, pid: number): Promise<StateDir> {
  const base = resolve(given ?? byDefault);
  for (let number = 1; number <= STACKS_MAX; number += 1) {
    const run = number === 1 ? base : join(base, String(number));
    const holder = await claim(run, pid);
    if (holder === undefined) return claimed(run, join(base, 'pki'), run !== base);
    if (given !== undefined)
      throw new CannotStart(`--state-dir: ${base} is in use by process ${holder}; end that one, or name another directory`);
  }
  throw new CannotStart(`${base} is in use by ${STACKS_MAX} stacks; end some, or name another directory with --state-dir`);
}

/** What is worthless once the stack has ended; the CA stays. */
const PASSING = ['ready.json', 'admin.token', 'edge.token', 'signing-keys', 'verify-keys', 'supervisors', 'processes', 'pid'];

/** However the process ends, short of being killed: a token and keys must not outlive a start or a drain that was cut short. */
function claimed(run: string, pki: string, whole: boolean): StateDir {
  const passing = whole ? [run] : PASSING.map((name) => join(run, name));
  const clear = (): void => {
    for (const path of passing) rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', clear);
  return {
    run,
    pki,
    async release() {
      process.off('exit', clear);
      for (const path of passing) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Undefined: it is ours. Else the process that has it. */
async function claim(run: string, pid: number): Promise<number | undefined> {
  await makeDirectory(run);
  const file = join(run, 'pid');
  for (;;) {
    try {
      await writeFile(file, String(pid), { flag: 'wx', mode: 0o600 });
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(file, 'utf8').catch(() => ''));
    // The file is there before its content is: whoever just made it is alive.
    if (holder === 0 || isAlive(holder)) return holder;
    await rm(file, { force: true });
  }
}

/** Step by step: Node's own recursive form never returns where a file system refuses new directories (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(path)))
      throw new CannotStart(`--state-dir: ${path} cannot be made (${code}); name a directory that is yours`);
    await makeDirectory(dirname(path));
    await makeDirectory(path);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
