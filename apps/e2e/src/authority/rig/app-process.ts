import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Address, Announcement } from '@sallyport/process';
import { freePorts } from '@sallyport/store/etcd-process';

/** One of our apps as a real process, from source, that can be killed, paused and started again on the same ports. */
export interface AppProcess {
  readonly name: string;
  readonly app: string;
  pid(): number;
  alive(): boolean;
  /** Where it listens, by the name of the port. */
  address(port: string): Address;
  readonly adminPort: () => number;
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL, and the end of it. */
  kill(): Promise<void>;
  /** SIGTERM, and how long it took to end; milliseconds. */
  end(): Promise<number>;
  /** The same process again, after it has ended: same options, same ports. */
  start(): Promise<void>;
}

export interface AppProcessOptions {
  readonly name: string;
  readonly app: string;
  /** Long options without their dashes. */
  readonly options: Readonly<Record<string, string>>;
  /** Where its log and its announcement go. */
  readonly folder: string;
}

const ROOT = resolve(import.meta.dirname, '../../../../..');
/** On a busy machine; milliseconds. */
const START_MS = 110_000;
const LOOK_EVERY_MS = 20;

export async function startApp({ name, app, options, folder }: AppProcessOptions): Promise<AppProcess> {
  const announceFile = join(folder, `${name}.json`);
  let pinned: Readonly<Record<string, string>> = {};
  let child: ChildProcess;
  let announced: Announcement;
  let ended: Promise<void> = Promise.resolve();

  async function start(): Promise<void> {
    await rm(announceFile, { force: true });
    const given = { ...options, ...pinned, 'announce-file': announceFile };
    const args = Object.entries(given).map(([key, value]) => `--${key}=${value}`);
    // The channel is never used: that it closes tells the process that its starter is gone.
    child = spawn(process.execPath, ['--conditions=@sallyport/source', join(ROOT, 'apps', app, 'src/main.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { PATH: process.env.PATH ?? '' },
    });
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => void log.write(bytes));
    const begun = child;
    ended = new Promise((done) =>
      begun.once('close', (code, signal) => {
        log.end(`{"msg":"ended","code":${code},"signal":${JSON.stringify(signal)}}\n`);
        done();
      }),
    );
    announced = await announcement(begun);
    pinned = Object.fromEntries([
      ['admin-listen', format(announced.admin)],
      ...Object.entries(announced.listens).map(([port, address]) => [`${port}-listen`, format(address)]),
    ]);
  }

  async function announcement(begun: ChildProcess): Promise<Announcement> {
    const until = performance.now() + START_MS;
    for (;;) {
      const text = await readFile(announceFile, 'utf8').catch(() => undefined);
      if (text !== undefined) return JSON.parse(text) as Announcement;
      if (begun.exitCode !== null || performance.now() > until) {
        begun.kill('SIGKILL');
        const said = await readFile(join(folder, `${name}.log`), 'utf8').catch(() => '');
        throw new Error(`${name} did not start: ${said.slice(-600)}`);
      }
      await new Promise((again) => setTimeout(again, LOOK_EVERY_MS));
    }
  }

  pinned = await steadyPorts(options);
  await start();
  return {
    name,
    app,
    pid: () => child.pid as number,
    alive: () => child.exitCode === null && child.signalCode === null,
    address(port) {
      const address = announced.listens[port];
      if (address === undefined) throw new Error(`${name} does not listen for ${port}`);
      return address;
    },
    adminPort: () => announced.admin.port,
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async end() {
      const askedAt = performance.now();
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(force);
      return performance.now() - askedAt;
    },
    start,
  };
}

/** Ports that are left open get one that the process will find free again whenever it is started. */
async function steadyPorts(options: AppProcessOptions['options']): Promise<Readonly<Record<string, string>>> {
  const open = Object.keys(options).filter((option) => options[option] === '127.0.0.1:0');
  const ports = await freePorts(open.length);
  return Object.fromEntries(open.map((option, index) => [option, `127.0.0.1:${ports[index]}`]));
}

const format = ({ host, port }: Address): string => `${host}:${port}`;
