import { type Instant, later } from '@sallyport/model';
import { type Clock, repeat } from './clock.ts';
import { createTimers } from './timers.ts';

/** A clock that stands still until it is told. */
export interface ManualClock extends Clock {
  /** Goes `ms` ahead and runs every timer on the way, each at its own instant and in order, also those made meanwhile. */
  advance(ms: number): void;
  /** As `advance`, and lets promises settle after each timer and at the end, so that loops with `await` keep pace. */
  advanceAsync(ms: number): Promise<void>;
  /** Jumps ahead without running what came due: a stalled event loop. The next `advance` runs it, late. */
  stall(ms: number): void;
  /** Timers that wait. */
  pendingCount(): number;
}

/** A timer that makes itself again for now would hold `advance` for ever. */
const TURNS_MAX = 100_000;

export function createManualClock(startMs = 0): ManualClock {
  const timers = createTimers();
  let instant = startMs as Instant;
  let pending = 0;

  const now = (): Instant => instant;
  const at = (due: Instant, act: () => void) => {
    let waits = true;
    pending += 1;
    const settle = (): void => {
      if (waits) pending -= 1;
      waits = false;
    };
    const remove = timers.add(due, () => {
      settle();
      act();
    });
    return () => {
      settle();
      remove();
    };
  };

  /** Goes to the next timer up to `until` and returns it; undefined when there is none. */
  function step(until: Instant): (() => void) | undefined {
    const due = timers.next();
    if (due === undefined || due > until) {
      if (until > instant) instant = until;
      return undefined;
    }
    if (due > instant) instant = due;
    return timers.takeDue(instant);
  }

  return {
    now,
    steadyMs: () => instant,
    at,
    every: (ms, act) => repeat({ now, at }, ms, act),
    advance(ms) {
      const until = later(instant, ms);
      let turns = 0;
      for (let act = step(until); act !== undefined; act = step(until)) {
        if (++turns > TURNS_MAX) throw new Error(`more than ${TURNS_MAX} timers within ${ms} ms: one makes itself again for now`);
        act();
      }
    },
    async advanceAsync(ms) {
      const until = later(instant, ms);
      await settlePromises();
      for (let act = step(until); act !== undefined; act = step(until)) {
        act();
        await settlePromises();
      }
    },
    stall(ms) {
      instant = later(instant, ms);
    },
    pendingCount: () => pending,
  };
}

/** Ends after every promise chain that needs no I/O; `setImmediate` runs when the microtask queue is empty. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
