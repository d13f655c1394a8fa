import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { livelyMs } from '@sallyport/process/lively';

/** `npm start` as users run it, from its command line to its end; one folder for all its files. */
export interface DevStack {
  readonly folder: string;
  readonly ready: ReadyFile;
  readonly ca: string;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  url(service: string): URL;
  /** Runs the command line against this stack. */
  sallyport(...args: string[]): Promise<Ended>;
  /** Ctrl-C, and the end of the process. */
  stop(): Promise<Ended>;
}

export interface ReadyFile {
  readonly domain: string;
  readonly caFile: string;
  readonly services: readonly {
    readonly workspace: string;
    readonly sandbox: string;
    readonly service: string;
    readonly host: string;
    readonly url: string;
  }[];
  readonly processes: readonly {
    readonly name: string;
    readonly app: string;
    readonly pid: number;
    readonly address: string;
    readonly port: number;
    readonly adminPort: number;
  }[];
  readonly adminTokenFile: string;
  readonly gatewayAddress: string;
  readonly discoveryAddress: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

const ROOT = resolve(import.meta.dirname, '../../../..');
const node = (app: string): readonly string[] => ['--conditions=@sallyport/source', join(ROOT, 'apps', app, 'src/main.ts')];
/** Past this a start has failed, whatever it waits for; milliseconds. */
const START_MS = 110_000;
const COMMAND_MS = 110_000;

export async function newFolder(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-stack-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs `npm start -- …` to its end, as it ends by itself when its input is bad. */
export async function runDev(folder: string, args: readonly string[]): Promise<Ended> {
  return run([...node('dev'), ...args], folder);
}

/** Starts a stack and resolves once its ready file is there; in a folder of its own, or beside others in theirs. */
export async function startDev(args: readonly string[], env: NodeJS.ProcessEnv = {}, beside?: string): Promise<DevStack> {
  const folder = beside ?? (await newFolder()).folder;
  const remove = async (): Promise<void> => {
    if (beside === undefined) await rm(folder, { recursive: true, force: true });
  };
  const port = args.some((arg) => arg.startsWith('--port')) ? [] : ['--port=0'];
  const readyFile = join(folder, `ready-${randomUUID()}.json`);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...node('dev'), ...port, `--ready-file=${readyFile}`, ...args], {
    cwd: folder,
    env: { ...cleanEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const ended = new Promise<Ended>((done) =>
    child.once('close', (code, signal) => done({ code, signal, ...output.text(), tookMs: performance.now() - startedAt })),
  );
  const ready = await Promise.race([
    untilReady(readyFile, startedAt),
    ended.then(({ stderr }) => Promise.reject(new Error(`the stack ended: ${stderr}`))),
  ]).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await ended;
    await remove();
    throw error;
  });
  return {
    folder,
    ready,
    ca: await readFile(ready.caFile, 'utf8'),
    child,
    stdout: () => output.text().stdout,
    stderr: () => output.text().stderr,
    url(service) {
      const found = ready.services.find(
        (each) => [each.workspace, each.sandbox, each.service].filter(Boolean).join('/') === service,
      );
      if (found === undefined) throw new Error(`${service} is not in the ready file`);
      return new URL(found.url);
    },
    sallyport: (...commandLine) => run([...node('cli'), ...commandLine], folder),
    async stop() {
      const askedAt = livelyMs();
      child.kill('SIGINT');
      const end = await ended;
      await remove();
      return { ...end, tookMs: livelyMs() - askedAt };
    },
  };
}

/** Without what npm and we ourselves put there: it would lead the command line to another stack. */
const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|SALLYPORT_|INIT_CWD$)/.test(name)));

async function untilReady(file: string, startedAt: number): Promise<ReadyFile> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as ReadyFile;
    if (performance.now() - startedAt > START_MS) throw new Error(`not ready after ${START_MS} ms`);
    await new Promise((again) => setTimeout(again, 20));
  }
}

function run(args: readonly string[], cwd: string): Promise<Ended> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS);
  return new Promise((done) =>
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      done({ code, signal, ...output.text(), tookMs: performance.now() - startedAt });
    }),
  );
}

function collect(child: ChildProcess): { text(): { readonly stdout: string; readonly stderr: string } } {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { text: () => ({ stdout, stderr }) };
}
