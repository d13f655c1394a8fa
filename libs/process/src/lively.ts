import { type Machine, nodeMachine } from './clock.ts';

/**
 * Milliseconds that this process was really running, for tests with bounds of time: a process that was not given a processor,
 * or whose machine stood still, has not lived meanwhile, and says nothing about the product.
 */
export function livelyMs(): number {
  if (!isBeating) setInterval(beat, LOOK_EVERY_MS).unref();
  isBeating = true;
  return livedMs + sinceLook();
}

/** For `createClock`: the product lives by the same time as the test that judges it. */
export const livelyMachine: Machine = {
  read: () => ({ monotonicMs: livelyMs(), wallMs: STARTED_MS + livelyMs() }),
  wake: nodeMachine.wake,
};

const LOOK_EVERY_MS = 10;
/** What is longer than this between two looks was no life. */
const STEP_MAX_MS = 50;
const STARTED_MS = Date.now();

let isBeating = false;
let livedMs = 0;
let lookedAt = performance.now();

function beat(): void {
  livedMs += sinceLook();
  lookedAt = performance.now();
}

const sinceLook = (): number => Math.min(performance.now() - lookedAt, STEP_MAX_MS);
