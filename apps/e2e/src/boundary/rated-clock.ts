import { createClock, nodeMachine, type RunningClock } from '@sallyport/process';

/** A clock that can be made to run fast, for a gateway whose graces and suspicions a test cannot sit out. */
export interface RatedClock extends RunningClock {
  setRate(rate: number): void;
}

export function createRatedClock(): RatedClock {
  let rate = 1;
  let since = performance.now();
  let passedMs = 0;
  const wallStart = Date.now();
  const passed = (): number => passedMs + (performance.now() - since) * rate;
  const clock = createClock({
    read: () => ({ monotonicMs: passed(), wallMs: wallStart + passed() }),
    wake: (act, afterMs, keepsAlive) => nodeMachine.wake(act, afterMs / rate, keepsAlive),
  });
  return {
    ...clock,
    setRate(next) {
      passedMs = passed();
      since = performance.now();
      rate = next;
    },
  };
}
