import type { Instant } from '@sallyport/model';
import { NAMES_PER_MESSAGE_MAX, type WatchMessage } from './messages.ts';
import type { RenewalDigest } from './renewals.ts';
import { inScope, type Scope } from './scope.ts';

/** One message of a Renew, made when it is sent: what is left of a life counts from then. */
export type RenewPart = (now: Instant, isLast: boolean) => Extract<WatchMessage<never>, { kind: 'renew' }>;

/** What one reader is told of the digest: nothing of records that it does not see, not even a name. */
export function renewParts({ floors, below }: RenewalDigest, scope: Scope): RenewPart[] {
  const singles = [...below].filter(([, { workspace }]) => inScope(scope, workspace));
  const parts: RenewPart[] = [];
  for (let from = 0; (from === 0 && floors.size > 0) || from < singles.length; from += NAMES_PER_MESSAGE_MAX) {
    const named = singles.slice(from, from + NAMES_PER_MESSAGE_MAX);
    parts.push((now, isLast) => ({
      kind: 'renew',
      floors: from > 0 ? [] : [...floors].map(([renewedBy, until]) => ({ renewedBy, ttlMs: left(until, now) })),
      singles: named.map(([recordId, { until }]) => ({ recordId, ttlMs: left(until, now) })),
      isLast,
    }));
  }
  return parts;
}

/** Rounded down: nothing is promised that is not there. */
const left = (until: Instant, now: Instant): number => Math.max(0, Math.floor(until - now));
