import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../mutant.ts';
import type { Outcome } from '../outcome.ts';

export interface SeedJob {
  readonly mutant: Mutant;
  /** In this order. */
  readonly seeds: readonly number[];
  readonly minutes: number;
}

const CHILD = fileURLToPath(new URL('./seed-child.ts', import.meta.url));
/** A mutant can make a world that never comes to rest. */
const ENDS_WITHIN_MS = 90_000;

/** The simulation under one mutant, in a process of its own: what is loaded there is loaded mutated, and ends with it. */
export function runSeeds(job: SeedJob): Promise<Outcome> {
  const child: ChildProcess = fork(CHILD, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  return new Promise((resolve) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-2_000);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(outcome);
    };
    child.on('message', (outcome: Outcome) => end(outcome));
    child.on('exit', (code, signal) => end({ kind: 'crashed', why: `the simulation ended with ${signal ?? code}: ${said}` }));
    child.send(job);
  });
}
