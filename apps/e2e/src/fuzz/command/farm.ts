import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Done, Job } from '../bench.ts';
import type { PeerName } from '../peers/peer.ts';
import type { FromWorker } from './worker.ts';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

export interface Crash {
  readonly error: string;
  /** The cases that ran at that moment. */
  readonly running: readonly string[];
}

/** Runs all jobs over several processes. A process that crashes is told of and replaced; its job counts as done. */
export async function farm(
  jobs: Iterable<Job>,
  workerCount: number,
  peers: readonly PeerName[],
  on: { done(done: Done): void; crashed(crash: Crash): void },
): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  const workers = new Set<ChildProcess>();
  await Promise.all(Array.from({ length: workerCount }, work));

  function work(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = fork(WORKER, [peers.join(',')], { serialization: 'advanced' });
      workers.add(worker);
      let crashed = false;
      let finished = false;
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'crashed') {
          crashed = true;
          on.crashed(message);
          return;
        }
        if (message.kind === 'done') on.done(message.done);
        const job = queue.next();
        if (!job.done) return void worker.send(job.value);
        finished = true;
        worker.disconnect();
      });
      worker.on('exit', (code) => {
        workers.delete(worker);
        if (finished) return resolve();
        if (crashed) return void work().then(resolve, reject);
        for (const other of workers) other.disconnect();
        reject(new Error(`a worker ended with code ${code}`));
      });
    });
  }
}
