import { GATEWAY_LEASE_MS, GATEWAY_TRUST_MS } from '@sallyport/authority';
import { type GatewayEpoch, type GatewayId, type Instant, LONG_AGO, later, type StoreRevision } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import { type Guard, gatewayKey, type Store, type StoreLease } from '@sallyport/store';
import { encodeGateway } from '@sallyport/wire';

/** One life of this replica in the store: its key, created and never overwritten, whose create-revision fences it. */
export interface Incarnation {
  readonly gatewayId: GatewayId;
  readonly epoch: GatewayEpoch;
}

export interface Membership {
  /** Undefined while this replica holds no authority: judged by the clock at use, not by a timer. */
  current(): Incarnation | undefined;
  /** Its own key as it must stand, for every write. */
  guard(): Guard | undefined;
  /** A commit has shown this key gone: if it is the present one, give it up and begin again. */
  doubt(key: string): void;
  /** When authority was last gained: nobody is suspected soon after. */
  gainedAt(): Instant;
  onChange(listener: (incarnation: Incarnation | undefined) => void): void;
  /** Gives the key up, so that the others need not wait for it to run out. */
  leave(): Promise<void>;
}

export interface MembershipOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomId: () => string;
  readonly address: () => string;
  readonly version: string;
}

/** Three keepalives fit into the time that one of them is trusted for. */
const KEEP_ALIVE_EVERY_MS = 2_500;
const RETRY_MS = 1_000;

/** Joins the gateways, keeps the key alive, and joins again under a new id whenever it is lost. */
export async function joinGateways(options: MembershipOptions): Promise<Membership> {
  const { store, clock, log, randomId } = options;
  const listeners: ((incarnation: Incarnation | undefined) => void)[] = [];
  let held: (Incarnation & { readonly lease: StoreLease; readonly key: string }) | undefined;
  let trustedUntil: Instant = LONG_AGO;
  let gainedAt: Instant = LONG_AGO;
  let left = false;
  let entering = false;
  let cancel: () => void = () => undefined;

  const isTrusted = (): boolean => held !== undefined && clock.now() < trustedUntil;

  async function enter(): Promise<boolean> {
    // An id is never used twice: a key that is put again keeps its create-revision, and an old transaction would pass.
    const gatewayId = randomId() as GatewayId;
    const sentAt = clock.now();
    const leased = await store.lease(GATEWAY_LEASE_MS);
    if (leased.kind !== 'leased') return false;
    const key = gatewayKey(gatewayId);
    const value = encodeGateway({ address: options.address(), version: options.version }, randomId());
    const outcome = await store.commit({
      guards: [{ key, is: 'absent' }],
      changes: [{ kind: 'put', key, value, lease: leased.lease }],
    });
    // An unknown outcome leaves at most a key that runs out by itself.
    if (outcome.kind !== 'committed') return false;
    if (left) {
      await leased.lease.revoke();
      return false;
    }
    held = { gatewayId, epoch: outcome.revision as bigint as GatewayEpoch, lease: leased.lease, key };
    trustedUntil = later(sentAt, GATEWAY_TRUST_MS);
    gainedAt = clock.now();
    log.info({ gatewayId, gatewayEpoch: held.epoch }, 'joined the gateways');
    for (const listener of listeners) listener(held);
    return true;
  }

  function lose(why: string): void {
    if (held === undefined) return;
    log.warn({ gatewayId: held.gatewayId, why }, 'authority lost');
    held = undefined;
    for (const listener of listeners) listener(undefined);
  }

  async function keep(): Promise<void> {
    if (held === undefined) {
      // Two entries under way at once would make two lives of one replica.
      if (entering || left) return;
      entering = true;
      const entered = await enter().catch(() => false);
      entering = false;
      plan(entered ? KEEP_ALIVE_EVERY_MS : RETRY_MS);
      return;
    }
    const mine = held;
    const sentAt = clock.now();
    const kept = await mine.lease.keepAlive();
    if (held !== mine || left) return;
    if (kept === 'kept') {
      if (!isTrusted()) gainedAt = clock.now();
      trustedUntil = later(sentAt, GATEWAY_TRUST_MS);
    }
    if (kept === 'lost') lose('the store has dropped the key');
    plan(kept === 'kept' ? KEEP_ALIVE_EVERY_MS : RETRY_MS);
  }

  function plan(afterMs: number): void {
    cancel();
    if (!left) cancel = clock.at(later(clock.now(), afterMs), () => void keep());
  }

  await keep();
  return {
    current: () => (isTrusted() ? held : undefined),
    guard: () =>
      held !== undefined && isTrusted()
        ? { key: held.key, is: 'created-at', revision: held.epoch as bigint as StoreRevision }
        : undefined,
    doubt(key) {
      // The late answer to a write of an earlier life says nothing of this one.
      if (held?.key !== key) return;
      lose('a write found the key gone');
      plan(0);
    },
    gainedAt: () => gainedAt,
    onChange: (listener) => void listeners.push(listener),
    async leave() {
      left = true;
      cancel();
      const lease = held?.lease;
      held = undefined;
      await lease?.revoke();
    },
  };
}
