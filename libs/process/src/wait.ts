import { later } from '@sallyport/model';
import type { Clock } from './clock.ts';

/** Waits `ms` on this clock, or until `signal`. Tells which; never rejects, so that loops read as plain steps. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<'elapsed' | 'aborted'> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve('aborted');
    const aborted = (): void => {
      cancel();
      resolve('aborted');
    };
    const cancel = clock.at(later(clock.now(), ms), () => {
      signal?.removeEventListener('abort', aborted);
      resolve('elapsed');
    });
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
