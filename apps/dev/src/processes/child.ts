import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Address, type Announcement, CannotStart, type Clock, wait } from '@sallyport/process';
import { lastWords } from './last-words.ts';

/** One service in a process of its own. */
export interface Child {
  readonly name: string;
  readonly app: string;
  readonly pid: number;
  readonly announced: Announcement;
  /** True until the process has ended, however it did. */
  alive(): boolean;
  /** Asks it to end and waits; ends it by force when `deadline` aborts. */
  end(deadline: AbortSignal): Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  readonly app: string;
  /** Long options without their dashes. */
  readonly options: Readonly<Record<string, string>>;
  /** Where its log and its announcement go. */
  readonly directory: string;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** One that had come up. */
  readonly onEnded: (name: string, how: string, logFile: string) => void;
}

/** Ten processes from source take most of a minute on two processors that are busy with something else. */
const STARTED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;
/** Of a log, when its process did not come up: the end is what says why, and a stack may stand in it. Characters. */
const REASON_LENGTH_MAX = 4_000;

/** Starts an app and resolves once it says that it listens. Nothing restarts it: who looks after it shall see it fail. */
export async function startChild({ name, app, options, directory, clock, stopping, onEnded }: ChildOptions): Promise<Child> {
  const logFile = join(directory, `${name}.log`);
  const announceFile = join(directory, `${name}.json`);
  await rm(announceFile, { force: true });
  const args = Object.entries({ ...options, 'announce-file': announceFile }).map(([key, value]) => `--${key}=${value}`);
  // The channel is never used: that it closes tells the child that its starter is gone, whatever ended it.
  const child = spawn(process.execPath, [...process.execArgv, mainOf(app), ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => {
      log.write(bytes);
      tail = (tail + bytes.toString('utf8')).slice(-REASON_LENGTH_MAX);
    });
  }
  const ended = untilEnded(child);
  void ended.then(() => log.end());
  const announced = await Promise.race([announcement(announceFile, clock, stopping), ended.then(() => undefined)]);
  if (announced === undefined) {
    child.kill('SIGKILL');
    throw new CannotStart(`${name} did not start: ${lastWords(tail)}`);
  }
  void ended.then((how) => onEnded(name, how, logFile));
  return {
    name,
    app,
    pid: child.pid as number,
    announced,
    alive: () => child.exitCode === null && child.signalCode === null,
    async end(deadline) {
      child.kill('SIGTERM');
      // A stopped process takes no SIGTERM; it must not outlive us either.
      const force = (): void => void child.kill('SIGKILL');
      deadline.addEventListener('abort', force, { once: true });
      if (deadline.aborted) force();
      await ended;
      deadline.removeEventListener('abort', force);
    },
  };
}

/** From source beside this app, or its bundle beside ours. */
const mainOf = (app: string): string => {
  const here = fileURLToPath(import.meta.url);
  return here.endsWith('.ts') ? join(here, '../../../../', app, 'src/main.ts') : join(here, '..', `${app}.mjs`);
};

async function announcement(file: string, clock: Clock, stopping: AbortSignal): Promise<Announcement | undefined> {
  for (let waitedMs = 0; waitedMs < STARTED_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as Announcement;
    if ((await wait(clock, LOOK_EVERY_MS, stopping)) === 'aborted') return undefined;
  }
  return undefined;
}

const untilEnded = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? `code ${code}`)));

/** Where it really listens for what. */
export function bound(child: Child, name: string): Address {
  const address = child.announced.listens[name];
  if (address === undefined) throw new CannotStart(`${child.name} did not say where it listens for ${name}`);
  return address;
}
