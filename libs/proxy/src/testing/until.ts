import { setImmediate as turn } from 'node:timers/promises';

/** Waits for a condition, not for a time; the limit only turns a hang into a failure that says what was awaited. */
export async function until(what: string, holds: () => boolean, limitMs = 5_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms for: ${what}`);
    await turn();
  }
}
