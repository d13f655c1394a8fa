import type { Instant } from '@sallyport/model';

/** What this library needs of the process's clock. */
export interface StoreClock {
  now(): Instant;
  /** Calls `act` once, not before `instant` and never inside this call; the function it returns cancels. */
  at(instant: Instant, act: () => void): () => void;
}
