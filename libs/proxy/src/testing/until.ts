import { setImmediate as turn } from 'node:timers/promises';
import { livelyMs } from '@sallyport/process/lively';

/** Waits for a condition, not for a time; the limit only turns a hang into a failure that says what was awaited. */
export async function until(what: string, holds: () => boolean, limitMs = 30_000): Promise<void> {
  const deadline = livelyMs() + limitMs;
  while (!holds()) {
    if (livelyMs() > deadline) throw new Error(`waited ${limitMs} ms for: ${what}`);
    await turn();
  }
}
