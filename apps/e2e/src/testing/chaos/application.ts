import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, Workload } from './evidence.ts';

/** A workload under test: never touched by any fault. */
export interface Application {
  readonly sandbox: string;
  readonly port: number;
  state(): Promise<Workload>;
  /** Ends it, and gives all that it wrote down. */
  stop(): Promise<readonly Delivery[]>;
  /** What it has written down so far. */
  deliveries(): Promise<readonly Delivery[]>;
}

export async function startApplication(sandbox: string, folder: string): Promise<Application> {
  const file = join(folder, `app-${sandbox}.jsonl`);
  const child = fork(join(import.meta.dirname, 'stateful-app.ts'), [sandbox, file], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const deliveries = async (): Promise<readonly Delivery[]> => {
    const lines = (await readFile(file, 'utf8')).split('\n');
    lines.pop();
    return lines.map((line) => JSON.parse(line) as Delivery);
  };
  return {
    sandbox,
    port,
    deliveries,
    state: async () => (await (await fetch(`http://127.0.0.1:${port}/state`)).json()) as Workload,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        if (child.connected) child.disconnect();
        await ended;
      }
      return deliveries();
    },
  };
}
