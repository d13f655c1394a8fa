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
  /** How often the wall clock was seen to run ahead: a suspended machine, or a clock that was set. */
  readonly jumpCount: number;
}

/**
 * A wall clock may run faster than the monotonic one by correction (500 ppm), and reads in whole milliseconds. Only
 * more than this between two readings is a jump. The process reads its clock at least each second, so that correction
 * never adds up to a jump, and a suspension of less is within every margin.
 */
export const CLOCK_JUMP_MS = 100;

export const startClock = (reading: ClockReading): ClockState => ({
  ...reading,
  instant: reading.monotonicMs as Instant,
  jumpCount: 0,
});

export function readClock(state: ClockState, reading: ClockReading): ClockState {
  const monotonicStep = Math.max(0, reading.monotonicMs - state.monotonicMs);
  const gained = reading.wallMs - state.wallMs - monotonicStep;
  const jumped = gained > CLOCK_JUMP_MS;
  return {
    monotonicMs: reading.monotonicMs,
    wallMs: reading.wallMs,
    instant: later(state.instant, monotonicStep + (jumped ? gained : 0)),
    jumpCount: state.jumpCount + (jumped ? 1 : 0),
  };
}
