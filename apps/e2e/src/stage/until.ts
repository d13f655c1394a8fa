import { livelyMs } from '@sallyport/process/lively';

/** Waits for conditions, never for a time. Whoever changes something that may be awaited says so with `changed`. */
interface Waiter {
  readonly what: string;
  readonly holds: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly deadline: number;
  readonly limitMs: number;
}

const waiters = new Set<Waiter>();
let scheduled = false;

export const LIMIT_MS = 8_000;

/** For what nobody announces: a counter inside the listener, a timer of its own. */
const LOOK_AGAIN_MS = 10;

setInterval(() => {
  if (waiters.size > 0) look();
}, LOOK_AGAIN_MS).unref();

function look(): void {
  scheduled = false;
  for (const waiter of [...waiters]) {
    if (waiter.holds()) waiter.resolve();
    else if (livelyMs() > waiter.deadline) waiter.reject(new Error(`waited ${waiter.limitMs} ms for: ${waiter.what}`));
    else continue;
    waiters.delete(waiter);
  }
}

/** Something happened that a waiter may be waiting for. */
export function changed(): void {
  if (scheduled || waiters.size === 0) return;
  scheduled = true;
  setImmediate(look);
}

/** The limit only turns a hang into a failure that says what was awaited. */
export function until(what: string, holds: () => boolean, limitMs = LIMIT_MS): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    waiters.add({ what, holds, resolve, reject, limitMs, deadline: livelyMs() + limitMs });
  });
}

/** A pause that the case itself consists of ("400 ms later"); never a wait for something to have happened. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
