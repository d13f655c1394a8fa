import type { Instant } from '@sallyport/model';
import type { StopSignal } from './host.ts';

/**
 * One Ctrl-C can arrive several times: the terminal sends it to the whole group, and npm passes it on to its child. What
 * comes within this time after the first is the same wish; what comes later means "now".
 */
export const REPEAT_WITHIN_MS = 1_000;

/** What a signal to end means, by when the first one came. */
export function judgeStop(firstAt: Instant | undefined, now: Instant): 'drain' | 'repeat' | 'at-once' {
  if (firstAt === undefined) return 'drain';
  return now - firstAt < REPEAT_WITHIN_MS ? 'repeat' : 'at-once';
}

/** As a shell reports a process that a signal ended. */
export const exitCodeOf: Readonly<Record<StopSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
