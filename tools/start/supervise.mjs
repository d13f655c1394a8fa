import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { createBrood } from './brood.mjs';
import { say } from './say.mjs';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Ctrl-C reaches npm and us, and npm passes its own on: the same wish, two or three times. */
const REPEAT_MS = 1_000;

/**
 * A command ends within a second of a signal. On a machine that is busy with something else it may take longer, and what is killed
 * leaves its files behind: this is more than `npm start` gives itself for its drain and its closing. Who cannot wait asks again.
 */
const GRACE_MS = 6_000;

/** When npm is killed without a chance to tell us, nobody is left to stop us: look for it this often. */
const PARENT_POLL_MS = 500;

/**
 * Runs a program in our place: same terminal, signals passed on, nothing of it left when it has ended.
 * Resolves to its exit code or signal, and whether we were asked to end it.
 */
export function supervise(file, args, { cwd, stdio = 'inherit', onSpawn = () => {} } = {}) {
  return new Promise((resolve) => {
    const brood = createBrood();
    const env = { ...process.env, ...brood.env };
    // Whatever the command starts by the name `node` shall be the same Node.
    if (stdio === 'inherit') env.PATH = dirname(file) + delimiter + (env.PATH ?? '');
    const child = spawn(file, args, { cwd, stdio, env });

    let lastAt = Number.NEGATIVE_INFINITY;
    let asked;
    let overdue;
    const passOn = (signal) => {
      const now = performance.now();
      if (now - lastAt < REPEAT_MS) return;
      lastAt = now;
      asked ??= signal;
      brood.note(child.pid);
      child.kill(signal);
      overdue ??= setTimeout(() => brood.killAll(child.pid), GRACE_MS);
    };
    for (const signal of PASSED_ON) process.on(signal, passOn);

    const parent = process.ppid;
    const orphaned = setInterval(() => process.ppid !== parent && passOn('SIGTERM'), PARENT_POLL_MS);
    if (process.env.npm_lifecycle_event === undefined) clearInterval(orphaned);

    const end = async (how) => {
      clearTimeout(overdue);
      clearInterval(orphaned);
      await brood.sweep();
      for (const signal of PASSED_ON) process.removeListener(signal, passOn);
      // Killed by us because it was late: it ended by the signal that we were asked to pass on.
      if (asked !== undefined && how.signal === 'SIGKILL') how = { code: null, signal: asked };
      resolve({ ...how, interrupted: asked !== undefined });
    };
    child.once('error', (error) => {
      say(`cannot start ${file}: ${error.message}`);
      void end({ code: 1, signal: null });
    });
    child.once('spawn', () => onSpawn(child.pid));
    child.once('exit', (code, signal) => void end({ code, signal }));
  });
}
