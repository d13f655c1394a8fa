import type { Instant } from '@sallyport/model';
import type { StoreClock } from '../clock.ts';

/**
 * Settles at `instant`, or before when `done` does or `signal` aborts; leaves no timer and no listener behind. Not a race of
 * promises: each would leave a reaction on a promise that lives as long as the client.
 */
export function until(clock: StoreClock, instant: Instant, signal: AbortSignal, done?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.at(instant, finish);
    signal.addEventListener('abort', finish);
    void done?.then(finish);
    function finish(): void {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
