import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedOptions, SeedResult } from '../run-seed.ts';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** Runs all of these over several processes and tells each result as it comes. Stops early when told so. */
export async function farm(
  jobs: Iterable<SeedOptions>,
  workerCount: number,
  done: (result: SeedResult) => 'go on' | 'stop',
): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  const workers: ChildProcess[] = [];
  let stopped = false;
  try {
    await Promise.all(Array.from({ length: workerCount }, work));
  } finally {
    for (const worker of workers) worker.disconnect();
  }

  function work(): Promise<void> {
    const worker = fork(WORKER, { serialization: 'advanced' });
    workers.push(worker);
    return new Promise((resolve, reject) => {
      const next = (): void => {
        const job = stopped ? { done: true as const, value: undefined } : queue.next();
        if (job.done) return resolve();
        worker.send(job.value);
      };
      worker.on('message', (result: SeedResult) => {
        if (done(result) === 'stop') stopped = true;
        next();
      });
      worker.on('exit', (code) => reject(new Error(`a worker ended with code ${code}`)));
      next();
    });
  }
}
