import type { Instant } from '@sallyport/model';
import type { StoreClock } from '../clock.ts';

/** Settles when any of `others` does, at the latest at `instant`; leaves no timer behind. */
export async function until(clock: StoreClock, instant: Instant, ...others: readonly Promise<unknown>[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.at(instant, resolve);
  try {
    await Promise.race([promise, ...others]);
  } finally {
    cancel();
  }
}
