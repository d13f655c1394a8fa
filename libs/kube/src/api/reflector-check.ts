import { type Instant, later } from '@sallyport/model';
import type { Page, Surroundings } from './reflector.ts';
import { SETTLE_MAX_MS, SETTLE_MS } from './reflector-limits.ts';
import { isOlder } from './version.ts';

/**
 * The self-check: list beside the running watch, let the watch pass what the list knew, then compare. What still differs was
 * never told to us.
 */
export type Check<T> =
  | { readonly kind: 'none' }
  | { readonly kind: 'due'; readonly at: Instant }
  | { readonly kind: 'listing'; readonly gathered: readonly T[] }
  | {
      readonly kind: 'settling';
      readonly items: readonly T[];
      readonly version: string;
      readonly until: Instant;
      readonly atMost: Instant;
    };

/** Jitter of a fifth: replicas that started together do not list together. */
export const nextCheck = <T>({ now, random, checkEveryMs }: Surroundings): Check<T> => ({
  kind: 'due',
  at: later(now, checkEveryMs * (0.9 + 0.2 * random)),
});

export const startCheck = <T>(): Check<T> => ({ kind: 'listing', gathered: [] });

export function gatherCheck<T>(
  check: Check<T>,
  { items, version, next }: Page<T>,
  now: Instant,
): { readonly check: Check<T>; readonly next: string | undefined } {
  if (check.kind !== 'listing') return { check, next: undefined };
  const gathered = [...check.gathered, ...items];
  if (next !== undefined) return { check: { kind: 'listing', gathered }, next };
  return {
    check: { kind: 'settling', items: gathered, version, until: later(now, SETTLE_MS), atMost: later(now, SETTLE_MAX_MS) },
    next: undefined,
  };
}

export function wakeCheck<T>(check: Check<T>): Instant | undefined {
  if (check.kind === 'due') return check.at;
  return check.kind === 'settling' ? check.until : undefined;
}

/** The watch has not told all that the list knew: wait a little more, but not for ever. */
export function waitForWatch<T>(
  check: Extract<Check<T>, { kind: 'settling' }>,
  since: string | undefined,
  now: Instant,
): Check<T> | undefined {
  const isBehind = since !== undefined && isOlder(since, check.version);
  return isBehind && now < check.atMost ? { ...check, until: later(now, SETTLE_MS) } : undefined;
}
