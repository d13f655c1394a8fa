/**
 * Time as the authority sees it: milliseconds on this process's own clock, never compared with another machine's.
 *
 * A monotonic clock stands still while a machine is suspended, and a wall clock can be set back; a deadline has passed
 * when *either* says so. `readClock` folds both into one number that only rises: it follows the monotonic clock and
 * jumps ahead by whatever the wall clock gained meanwhile. Being early is safe (a lease ends too soon and is renewed),
 * being late is not.
 */

declare const kind: unique symbol;
export type Instant = number & { readonly [kind]: 'Instant' };

export const later = (from: Instant, durationMs: number): Instant => (from + durationMs) as Instant;
export const earliest = (a: Instant, b: Instant): Instant => (a < b ? a : b);
export const NEVER = Number.POSITIVE_INFINITY as Instant;
export const LONG_AGO = Number.NEGATIVE_INFINITY as Instant;

/** What the two clocks of a machine say together. Milliseconds; the origin of `monotonicMs` does not matter. */
export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export interface ClockState extends ClockReading {
  readonly instant: Instant;
  /** By how much the wall clock is ahead of what `instant` accounts for; a jump once it is more than a correction explains. */
  readonly aheadMs: number;
  /** How often the wall clock was seen to run ahead: a suspended machine, or a clock that was set. */
  readonly jumpCount: number;
}

/**
 * The wall clock reads in whole milliseconds and may be corrected by a little: only when it is ahead by more than this has
 * it jumped. What is less is kept and added up, or many short suspensions would lengthen every deadline.
 */
export const CLOCK_JUMP_MS = 100;
/** How much faster than the monotonic clock it may run by correction, twice what NTP does: such a gain is forgotten again. */
export const CORRECTION_RATE = 0.001;

export const startClock = (reading: ClockReading): ClockState => ({
  ...reading,
  instant: reading.monotonicMs as Instant,
  aheadMs: 0,
  jumpCount: 0,
});

export function readClock(state: ClockState, reading: ClockReading): ClockState {
  const monotonicStep = Math.max(0, reading.monotonicMs - state.monotonicMs);
  const ahead = state.aheadMs + (reading.wallMs - state.wallMs) - monotonicStep;
  const jumped = ahead > CLOCK_JUMP_MS;
  return {
    monotonicMs: reading.monotonicMs,
    wallMs: reading.wallMs,
    instant: later(state.instant, monotonicStep + (jumped ? ahead : 0)),
    aheadMs: jumped ? 0 : Math.max(0, ahead - monotonicStep * CORRECTION_RATE),
    jumpCount: state.jumpCount + (jumped ? 1 : 0),
  };
}
