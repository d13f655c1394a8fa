import { readFileSync } from 'node:fs';
import { type OwnProcess, startOwn } from './own-process.ts';
import type { Target } from './target.ts';
import type { Told, Work } from './work.ts';

/** The process that opens tunnels and reads events. */
export interface LoadClient {
  /** Opens all connections, calls `opened`, works, and resolves with what was done, all connections closed. */
  run(target: Target, work: Work, opened: () => void | Promise<void>): Promise<{ readonly count: number; readonly us: number }>;
  stop(): void;
}

export function startLoadClient(cores: string): LoadClient {
  const own: OwnProcess = startOwn(cores, new URL('client-process.ts', import.meta.url));
  return {
    async run({ host, port, appPort, caFile }, work, opened) {
      own.send({ work, host, port, appPort, ca: readFileSync(caFile, 'utf8') });
      const first = await own.next<Told>();
      if (first.kind === 'failed') throw new Error(first.reason);
      await opened();
      own.send('go-on');
      const done = await own.next<Told>();
      if (done.kind !== 'done') throw new Error(done.kind === 'failed' ? done.reason : 'opened twice');
      return done;
    },
    stop: own.stop,
  };
}
