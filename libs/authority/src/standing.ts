import { earliest, type Instant, LONG_AGO, NEVER } from '@sallyport/model';

/**
 * Whether one instance may serve at a given moment (DESIGN section 6). All of it must hold: the owner is acknowledged,
 * not released, the configuration is fresh, a shared instance holds a lease, and the instance runs.
 */
export interface Standing {
  readonly mode: 'dedicated' | 'shared';
  /** The gateway has this member on record as owner, and the member has acknowledged a configuration under that epoch. */
  readonly acknowledged: boolean;
  /** The member was told to release: it admits nothing more, but what is open may last until the authority it holds ends. */
  readonly released: boolean;
  readonly running: boolean;
  readonly freshUntil: Instant;
  /** Meaningless for a dedicated instance, which lives on freshness alone. */
  readonly leaseUntil: Instant;
}

/** Why nothing is admitted now; the codes of the data plane's own answers. */
export type StandingRefusal = 'not_fresh' | 'lease_expired' | 'draining';

export const startStanding = (mode: Standing['mode']): Standing => ({
  mode,
  acknowledged: false,
  released: false,
  running: true,
  freshUntil: LONG_AGO,
  leaseUntil: LONG_AGO,
});

export function refusalAt(standing: Standing, now: Instant): StandingRefusal | undefined {
  if (!standing.running || standing.released) return 'draining';
  if (!standing.acknowledged || now >= standing.freshUntil) return 'not_fresh';
  if (standing.mode === 'shared' && now >= standing.leaseUntil) return 'lease_expired';
  return undefined;
}

/**
 * Until when bytes of what was admitted may still be forwarded; checked again at every chunk, because a stalled event
 * loop delivers bytes before the timer that should have ended them. A release does not shorten it: only admission is
 * exclusive, and nobody renews a released owner.
 */
export function servesUntil(standing: Standing): Instant {
  if (!standing.running || !standing.acknowledged) return LONG_AGO;
  return earliest(standing.freshUntil, standing.mode === 'shared' ? standing.leaseUntil : NEVER);
}
