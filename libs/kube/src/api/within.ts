import { later } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/** Gateways wait three seconds for us: an answer that comes later serves nobody, and whoever asks again must not wait for it too. */
export const QUESTION_MS = 2_500;

/** Asks, and gives the question up when nobody waits for its answer any more. */
export async function within<T>(clock: Clock, ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const given = new AbortController();
  const cancel = clock.at(later(clock.now(), ms), () => given.abort());
  try {
    return await ask(given.signal);
  } finally {
    cancel();
  }
}
