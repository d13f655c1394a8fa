import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../mutant.ts';
import type { Killer, Outcome } from '../outcome.ts';

export interface Job {
  readonly mutant: Mutant;
  /** What killed it last time. */
  readonly hint: Killer | undefined;
  readonly seeds: readonly number[];
  readonly minutes: number;
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** One that does not end, in a loop that no test leaves: its worker is given up with it. */
const ENDS_WITHIN_MS = 240_000;

/** Judges all of these over several processes and tells each outcome as it comes. */
export async function farm(
  jobs: readonly Job[],
  workerCount: number,
  done: (mutant: Mutant, outcome: Outcome) => void,
): Promise<void> {
  const queue = jobs.values();
  await Promise.all(Array.from({ length: Math.min(workerCount, jobs.length) }, work));

  async function work(): Promise<void> {
    let worker = await start();
    for (const job of queue) {
      const outcome = await judge(worker, job);
      done(job.mutant, outcome);
      if (!worker.connected) worker = await start();
    }
    worker.disconnect();
  }
}

async function start(): Promise<ChildProcess> {
  const worker = fork(WORKER, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a worker ended with code ${code}`)));
  });
  return worker;
}

function judge(worker: ChildProcess, job: Job): Promise<Outcome> {
  return new Promise((resolve) => {
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      worker.off('message', end);
      worker.off('exit', ended);
      resolve(outcome);
    };
    const ended = (code: number | null): void => end({ kind: 'crashed', why: `its worker ended with ${code ?? 'a signal'}` });
    const timer = setTimeout(() => worker.kill('SIGKILL'), ENDS_WITHIN_MS);
    worker.on('message', end);
    worker.on('exit', ended);
    worker.send(job);
  });
}
