import type { Surroundings } from '../nodes/surroundings.ts';
import type { Place } from './network.ts';

/** How late the second one of a request may come. */
const SECOND_MS_MAX = 4_000;

/**
 * Carries a unary request. It may arrive twice: whatever carries calls may send one again that it has no answer to.
 * (Streams cannot: what is sent on one arrives in order and once, or the stream breaks.)
 */
export function twice(
  { schedule, network, coverage, random }: Surroundings,
  from: Place,
  to: Place,
  does: string,
  arrive: () => void,
): void {
  const carry = (afterMs: number): void => {
    schedule.after(network.latencyMs(from, to) + afterMs, { who: to, does }, () => {
      if (!network.isBlocked(from, to)) arrive();
    });
  };
  carry(0);
  if (!random.chance(network.repeats)) return;
  coverage['calls delivered twice'] += 1;
  carry(random.between(0, SECOND_MS_MAX));
}
