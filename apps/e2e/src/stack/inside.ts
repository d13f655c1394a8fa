import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, SHARED_POOL, type Stack, startStack } from '@sallyport/dev/stack';
import { createClock, createLog, createMetrics, type Process, randomId } from '@sallyport/process';
import type { Supervisor } from '@sallyport/supervisor';

/** A dev stack inside the test: real ports, real TLS, and its parts at hand, so that a test can end one of them. */
export interface InsideStack {
  readonly stack: Stack;
  readonly ca: string;
  readonly supervisors: () => readonly Supervisor[];
  supervise(): Promise<Supervisor>;
  close(): Promise<void>;
}

export async function startInside(args: readonly string[] = []): Promise<InsideStack> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-inside-'));
  const reading = readConfig({ env: {}, args: ['--port=0', ...args] });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  const clock = createClock();
  const stopping = new AbortController();
  const process: Process = {
    clock,
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    randomId,
    stopping: stopping.signal,
    admin: { host: '127.0.0.1', port: 1 },
  };
  const state = { run: folder, pki: join(folder, 'pki'), release: async () => undefined };
  const stack = await startStack(reading.config, process, state, () => undefined);
  return {
    stack,
    ca: await readFile(stack.caFile, 'utf8'),
    supervisors: stack.supervisors,
    async supervise() {
      await stack.supervise(SHARED_POOL, 0, 100);
      return stack.supervisors().at(-1) as Supervisor;
    },
    async close() {
      stopping.abort();
      await stack.close(AbortSignal.abort());
      clock.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
