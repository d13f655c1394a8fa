import type { Instant } from '@sallyport/model';

/** The part of the process's clock that the proxy needs. Every decision by time reads `now()` at use; `at` only tidies up. */
export interface Clock {
  now(): Instant;
  /** Calls `act` once, not before `instant`; returns how to cancel it. */
  at(instant: Instant, act: () => void): () => void;
}
