import type { Instant } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/** How old a reading may be, milliseconds of the monotonic clock. The last bytes of a record's life are as late as that. */
export const READING_AGE_MAX_MS = 5;

/**
 * The clock for the way of every byte. A full reading asks several clocks of the system and takes some microseconds, as long as
 * passing on a small chunk; the monotonic clock alone is nearly free, and says how old the last full one is.
 */
export function recently(clock: Pick<Clock, 'now'>, monotonicMs: () => number = () => performance.now()): () => Instant {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading = clock.now();
  return () => {
    const at = monotonicMs();
    if (at - readAt < READING_AGE_MAX_MS) return reading;
    readAt = at;
    reading = clock.now();
    return reading;
  };
}
