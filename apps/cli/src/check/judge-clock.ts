import { type Finding, fails, holds } from './finding.ts';

/** Servers state whole seconds; the rest is the way here. */
const UNSURE_MS = 2_000;
/** What clocks that are set by NTP never come to. Nothing of authority rests on them; tokens and certificates do. */
const SKEW_MAX_MS = 5_000;

export interface ClockReading {
  /** As the server said. */
  readonly serverMs: number;
  readonly heardAtMs: number;
}

/** All in Unix milliseconds. */
export function judgeClock(name: string, { serverMs, heardAtMs }: ClockReading): Finding {
  // It says a second that has begun: half of it is the best guess.
  const skewMs = serverMs + 500 - heardAtMs;
  const apart = Math.abs(skewMs);
  if (apart <= UNSURE_MS) return holds(name, "goes with this machine's, as far as whole seconds tell");
  const seconds = `${(apart / 1_000).toFixed(0)} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`;
  return apart <= SKEW_MAX_MS
    ? holds(name, `is about ${seconds}`)
    : fails(name, `is ${seconds}`, 'set both by NTP: tokens and certificates are judged by these clocks');
}
