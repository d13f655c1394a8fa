/**
 * Time as the authority sees it: milliseconds on this process's own clock, never compared with another machine's.
 *
 * A monotonic clock stands still while a machine is suspended, and a wall clock can be set back; a deadline has passed
 * when *either* says so. `readClock` folds both into one number that only rises: it follows the monotonic clock and
 * jumps ahead by whatever the wall clock gained meanwhile. Being early is safe (a lease ends too soon and is renewed),
 * being late is not. A wall clock that is set back during a suspension hides it from both, so where a machine counts the
 * time since it was started, suspensions included, that third clock is asked too.
 */

declare const kind: unique symbol;
export type Instant = number & { readonly [kind]: 'Instant' };

export const later = (from: Instant, durationMs: number): Instant => (from + durationMs) as Instant;
export const earliest = (a: Instant, b: Instant): Instant => (a < b ? a : b);
export const NEVER = Number.POSITIVE_INFINITY as Instant;
export const LONG_AGO = Number.NEGATIVE_INFINITY as Instant;

/** What the clocks of a machine say together. Milliseconds; the origins of `monotonicMs` and `bootMs` do not matter. */
export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
  /** Goes on while the machine is suspended, and nobody can set it. Costly, so it is asked for only when it may tell something. */
  readonly bootMs?: () => number;
}

export interface ClockState {
  readonly monotonicMs: number;
  readonly wallMs: number;
  readonly instant: Instant;
  /** The newest word of the third clock that is accounted for; undefined on a machine without. */
  readonly boot: { readonly leadMs: number; readonly askedAtMs: number } | undefined;
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

/**
 * The third clock is asked at least this often: a wall clock that was set back by just what a suspension took looks sound.
 * Asking costs about 8 µs on Linux, so a thousandth of the time at the most; a second would be enough for a gateway to write
 * renewals with an age that leaves the suspension out.
 */
export const BOOT_EACH_MS = 10;

export const startClock = ({ monotonicMs, wallMs, bootMs }: ClockReading): ClockState => ({
  monotonicMs,
  wallMs,
  instant: monotonicMs as Instant,
  boot: bootMs === undefined ? undefined : { leadMs: bootMs() - monotonicMs, askedAtMs: monotonicMs },
  aheadMs: 0,
  jumpCount: 0,
});

export function readClock(state: ClockState, { monotonicMs, wallMs, bootMs }: ClockReading): ClockState {
  const monotonicStep = Math.max(0, monotonicMs - state.monotonicMs);
  const ahead = state.aheadMs + (wallMs - state.wallMs) - monotonicStep;
  let { boot } = state;
  let jump = ahead > CLOCK_JUMP_MS ? ahead : 0;
  if (boot !== undefined && bootMs !== undefined && mayTell(ahead, monotonicMs - boot.askedAtMs)) {
    const leadMs = bootMs() - monotonicMs;
    const suspendedMs = leadMs - boot.leadMs;
    if (suspendedMs > CLOCK_JUMP_MS) jump = Math.max(jump, suspendedMs);
    // Short ones that were no jump are kept and add up; the two clocks do not drift apart by themselves.
    boot = { leadMs: jump > 0 ? leadMs : boot.leadMs, askedAtMs: monotonicMs };
  }
  return {
    monotonicMs,
    wallMs,
    instant: later(state.instant, monotonicStep + jump),
    boot,
    aheadMs: jump > 0 ? 0 : Math.max(0, ahead - monotonicStep * CORRECTION_RATE),
    jumpCount: state.jumpCount + (jump > 0 ? 1 : 0),
  };
}

const mayTell = (ahead: number, unaskedMs: number): boolean => Math.abs(ahead) > CLOCK_JUMP_MS || unaskedMs >= BOOT_EACH_MS;
