import { CHALLENGE_EVERY_MS } from '@sallyport/authority';
import { type Instant, LONG_AGO, later } from '@sallyport/model';

/** What this replica can say of how current it is, and of whether anybody renews. */
export interface Signs {
  /** An echo of our own has come back that was sent then: the view is complete up to it. */
  echoed(sentAt: Instant): void;
  /** A renewal vector has come by watch. Gateways that hold no session write them as well. */
  renewed(at: Instant): void;
  /** How old the view is at most, milliseconds. Infinite before the first echo. */
  lagMs(now: Instant): number;
  /** Whether gateways were heard writing lately. */
  hasAuthority(now: Instant): boolean;
}

/** One beat may be lost. */
const RENEWED_WITHIN_MS = 2 * CHALLENGE_EVERY_MS + 1_000;

export function createSigns(): Signs {
  let echoSentAt: Instant = LONG_AGO;
  let renewedAt: Instant = LONG_AGO;
  return {
    echoed(sentAt) {
      echoSentAt = sentAt;
    },
    renewed(at) {
      renewedAt = at;
    },
    lagMs: (now) => now - echoSentAt,
    hasAuthority: (now) => now < later(renewedAt, RENEWED_WITHIN_MS),
  };
}
