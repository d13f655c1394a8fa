import { execFileSync } from 'node:child_process';
import { readDescriptorLimit } from '../../descriptors.ts';

/** Of each process here: two for a connection that is passed on, and some for itself. */
const WANTED = 40_000;
const PER_CONNECTION = 2;
const RESERVED = 200;

/** Raises the limit of this process, which those that it starts inherit, and says how many connections fit in each. */
export async function connectionsThatFit(): Promise<number> {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${WANTED}:${WANTED}`], { stdio: 'ignore' });
  } catch {
    // The system does not let this user raise it, or has no such command: then it is as it is.
  }
  const limit = (await readDescriptorLimit()) ?? WANTED;
  return Math.floor((limit - RESERVED) / PER_CONNECTION);
}
