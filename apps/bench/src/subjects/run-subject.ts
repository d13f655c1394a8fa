import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Usage, usageOf } from '../measure/process-tree.ts';
import type { Place, Subject } from './subject.ts';

/** A started proxy. */
export interface RunningSubject {
  readonly port: number;
  usage(): Usage;
  /** Undefined while it runs; then what it said last. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

const LISTENS_WITHIN_MS = 20_000;
const LOOKS_EACH_MS = 20;
const ENDS_WITHIN_MS = 5_000;
/** The end of what it said says why it ended. Characters. */
const REASON_LENGTH_MAX = 500;

/** Starts it on these cores and resolves once it accepts connections. */
export async function startSubject(
  subject: Subject,
  cores: string,
  given: Pick<Place, 'appPort' | 'host' | 'certFile' | 'keyFile'>,
): Promise<RunningSubject> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const port = await freePort();
  const { program, args, env } = subject.command({ ...given, folder, port });
  const child = spawn('taskset', ['-c', cores, program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-REASON_LENGTH_MAX);
  });
  const exited = once(child, 'exit');
  void exited.then(() => rmSync(folder, { recursive: true, force: true }));
  const ended = (): string | undefined =>
    child.exitCode === null && child.signalCode === null ? undefined : `it ended: ${said.trim()}`;

  async function stop(): Promise<void> {
    if (ended() !== undefined) return;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
    await exited;
    clearTimeout(force);
  }

  for (const until = performance.now() + LISTENS_WITHIN_MS; !(await accepts(port)); ) {
    if (ended() === undefined && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOKS_EACH_MS));
      continue;
    }
    await stop();
    throw new Error(`${subject.name} does not listen: ${ended()}`);
  }
  return { port, usage: () => usageOf(child.pid as number), ended, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
