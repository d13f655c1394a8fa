import { platform, uptime } from 'node:os';
import { type ClockReading, type ClockState, type Instant, later, readClock, startClock } from '@sallyport/model';
import { createTimers, type Timers } from './timers.ts';

/**
 * The one source of time in a process. A clock is passed to whatever needs it, so that tests drive the schedule. Timers
 * only tidy up: whoever decides by time compares with `now()` at use, since a stalled event loop makes timers late.
 */
export interface Clock {
  now(): Instant;
  /**
   * The monotonic clock alone, milliseconds. `now` runs ahead with the wall clock, which makes authority end early; a wait
   * for somebody else's authority to end must not, so it is counted on this one, which nobody can set.
   */
  steadyMs(): number;
  /** Calls `act` once, not before `instant` and never inside this call. */
  at(instant: Instant, act: () => void): Cancel;
  /** Calls `act` each `ms` milliseconds, first after `ms`. Turns that a stalled process missed are left out, not made up. */
  every(ms: number, act: () => void): Cancel;
}

/** Does nothing when the timer has gone off or was cancelled before. */
export type Cancel = () => void;

export interface RunningClock extends Clock {
  /** What `now` would say, without noting that it was read: for those who look on. */
  peek(): Instant;
  /** How often the wall clock was seen to run ahead: a suspended machine, or a clock that was set. */
  jumpCount(): number;
  /** Forgets all timers and lets the process end. */
  stop(): void;
}

/** The longest between two readings: `readClock` tells a suspension from a correction of the wall clock only then. */
const READ_EACH_MS = 1_000;

/** The machine under a clock: what its clocks say, and a call after some time of the monotonic one. */
export interface Machine {
  read(): ClockReading;
  /** `keepsAlive`: whether the process must not end before. Returns what cancels it. */
  wake(act: () => void, afterMs: number, keepsAlive: boolean): () => void;
}

/** Linux counts it with suspensions (CLOCK_BOOTTIME); elsewhere it is worked out from the wall clock, which tells nothing new. */
const bootMs = platform() === 'linux' ? { bootMs: () => uptime() * 1_000 } : {};

export const nodeMachine: Machine = {
  read: () => ({ monotonicMs: performance.now(), wallMs: Date.now(), ...bootMs }),
  wake(act, afterMs, keepsAlive) {
    const timeout = setTimeout(act, afterMs);
    if (!keepsAlive) timeout.unref();
    return () => clearTimeout(timeout);
  },
};

export function createClock({ read, wake }: Machine = nodeMachine): RunningClock {
  let state: ClockState = startClock(read());
  let timers = createTimers();
  let cancelWake = (): void => undefined;
  let stopped = false;

  const now = (): Instant => {
    state = readClock(state, read());
    return state.instant;
  };

  function arm(): void {
    cancelWake();
    if (stopped) return;
    const next = timers.next();
    // The machine's timers follow the monotonic clock, so one long one would sleep through a suspension: wake each second
    // and look again.
    const waitMs = next === undefined ? READ_EACH_MS : Math.min(Math.max(next - now(), 0), READ_EACH_MS);
    // Reading alone is no reason to keep a process running that has nothing left to do.
    cancelWake = wake(ring, Math.ceil(waitMs), next !== undefined);
  }

  function ring(): void {
    const instant = now();
    try {
      runDue(timers, instant);
    } finally {
      arm();
    }
  }

  const at = (instant: Instant, act: () => void): Cancel => {
    const next = timers.next();
    const remove = timers.add(instant, act);
    if (next === undefined || instant < next) arm();
    return remove;
  };

  arm();
  return {
    now,
    peek: () => readClock(state, read()).instant,
    steadyMs: () => read().monotonicMs,
    at,
    every: (ms, act) => repeat({ now, at }, ms, act),
    jumpCount: () => state.jumpCount,
    stop() {
      stopped = true;
      timers = createTimers();
      cancelWake();
    },
  };
}

/** Runs what is due at `instant`; what those calls add for now or earlier waits for the next turn, or it could never end. */
function runDue(timers: Timers, instant: Instant): void {
  const due: (() => void)[] = [];
  for (let act = timers.takeDue(instant); act !== undefined; act = timers.takeDue(instant)) due.push(act);
  for (const act of due) act();
}

/** `every` over `now` and `at`; shared with the manual clock. */
export function repeat(clock: Pick<Clock, 'now' | 'at'>, ms: number, act: () => void): Cancel {
  if (!(ms > 0)) throw new RangeError(`every ${ms} ms is not a period`);
  let planned = later(clock.now(), ms);
  let cancel = clock.at(planned, turn);
  function turn(): void {
    const now = clock.now();
    const next = later(planned, ms);
    planned = next > now ? next : later(now, ms);
    cancel = clock.at(planned, turn);
    act();
  }
  return () => cancel();
}
