import { assert, type Instant, LONG_AGO, later } from '@sallyport/model';
import type { StoreClock } from './clock.ts';
import type { Store, StoreLease } from './port.ts';

/**
 * A store lease kept alive, and how long its holder may trust that it lives. Trust is counted from when the last
 * acknowledged keepalive was *sent*: the store began its time after that, so trust ends first, whatever the network,
 * the store's clock or a stalled event loop did meanwhile.
 */
export interface RenewingLease {
  /** For putting keys on it. */
  readonly lease: StoreLease;
  /** Never later than the store's own deadline. Long ago once the lease is lost or given up. */
  trustedUntil(): Instant;
  /** To be asked at each use; no timer decides. Trust that ran out comes back with the next acknowledged keepalive. */
  trusted(): boolean;
  /** Settles once, when the store says that it no longer knows the lease. Its keys are gone: begin anew, with a new one. */
  readonly lost: Promise<void>;
  /** Ends renewal and trust, and gives the lease back so that its keys go at once. */
  close(): Promise<void>;
}

export interface RenewingLeaseOptions {
  readonly store: Store;
  readonly clock: StoreClock;
  readonly ttlMs: number;
  /** Less than `ttlMs` by what clocks may differ in rate and a write may take. */
  readonly trustMs: number;
  readonly renewEachMs: number;
}

export type AcquiredLease =
  | { readonly kind: 'leased'; readonly lease: RenewingLease }
  | { readonly kind: 'unavailable'; readonly message: string };

/** A keepalive without answer does not stop the next one, but a store that is gone must not collect them. */
const IN_FLIGHT_MAX = 4;

export async function acquireRenewingLease({
  store,
  clock,
  ttlMs,
  trustMs,
  renewEachMs,
}: RenewingLeaseOptions): Promise<AcquiredLease> {
  assert(trustMs < ttlMs, 'trust ends before the lease');
  assert(renewEachMs * 2 <= trustMs, 'one lost keepalive does not end trust');
  const askedAt = clock.now();
  const acquired = await store.lease(ttlMs);
  if (acquired.kind === 'unavailable') return acquired;
  assert(acquired.lease.ttlMs >= ttlMs, 'the store grants at least what was asked');
  return { kind: 'leased', lease: keepRenewing(acquired.lease, later(askedAt, trustMs), { clock, trustMs, renewEachMs }) };
}

function keepRenewing(
  lease: StoreLease,
  first: Instant,
  { clock, trustMs, renewEachMs }: Pick<RenewingLeaseOptions, 'clock' | 'trustMs' | 'renewEachMs'>,
): RenewingLease {
  const lost = Promise.withResolvers<void>();
  let trustedUntil = first;
  let ended = false;
  let inFlight = 0;
  let cancel = clock.at(later(clock.now(), renewEachMs), turn);

  function turn(): void {
    cancel = clock.at(later(clock.now(), renewEachMs), turn);
    if (inFlight < IN_FLIGHT_MAX) void renew();
  }

  async function renew(): Promise<void> {
    inFlight += 1;
    const sentAt = clock.now();
    const outcome = await lease.keepAlive();
    inFlight -= 1;
    if (ended) return;
    if (outcome === 'lost') {
      end();
      lost.resolve();
    }
    // Answers may overtake each other; trust never shrinks by a late one.
    if (outcome === 'kept' && later(sentAt, trustMs) > trustedUntil) trustedUntil = later(sentAt, trustMs);
  }

  function end(): void {
    ended = true;
    trustedUntil = LONG_AGO;
    cancel();
  }

  return {
    lease,
    trustedUntil: () => trustedUntil,
    trusted: () => clock.now() < trustedUntil,
    lost: lost.promise,
    async close() {
      if (ended) return;
      end();
      await lease.revoke();
    },
  };
}
