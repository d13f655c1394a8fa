import { READER_ECHO_EVERY_MS } from '@sallyport/authority';
import type { Instant } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import { acquireRenewingLease, type RenewingLease, readerKey, type Store } from '@sallyport/store';
import { encodeReader } from '@sallyport/wire';

/** This replica's own clock marks in the store: one small write each second, whose return tells how old a revision is. */
export interface Echo {
  /** When the write with this number was sent. Undefined: not one of ours, or too long ago to matter. */
  sentAt(sequence: number): Instant | undefined;
  /** Ends the writing and gives the key up. */
  close(): Promise<void>;
}

export interface EchoOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly discoveryId: string;
  readonly randomId: () => string;
}

/** Long enough to outlive a short loss of the store, short enough that a dead replica's key goes. */
const LEASE_MS = 10_000;
const TRUST_MS = 8_000;
const KEEP_ALIVE_EVERY_MS = 2_500;
/** Writes whose return is still awaited or may yet come; older ones date nothing that could still count. */
const SENT_MAX = 64;

export function startEcho({ store, clock, discoveryId, randomId }: EchoOptions): Echo {
  const key = readerKey(discoveryId);
  const sent = new Map<number, Instant>();
  let sequence = 0;
  let held: RenewingLease | undefined;
  let acquiring = false;
  let closed = false;

  async function acquire(): Promise<void> {
    if (acquiring || closed) return;
    acquiring = true;
    const acquired = await acquireRenewingLease({
      store,
      clock,
      ttlMs: LEASE_MS,
      trustMs: TRUST_MS,
      renewEachMs: KEEP_ALIVE_EVERY_MS,
    });
    acquiring = false;
    if (acquired.kind === 'unavailable') return;
    if (closed) return void acquired.lease.close();
    held = acquired.lease;
    void acquired.lease.lost.then(() => {
      if (held === acquired.lease) held = undefined;
    });
    write();
  }

  function write(): void {
    if (closed) return;
    if (held === undefined) return void acquire();
    sequence += 1;
    const value = encodeReader(sequence, randomId());
    sent.set(sequence, clock.now());
    const oldest = sequence - SENT_MAX;
    sent.delete(oldest);
    // Whether it is refused, lost or late does not matter: only what comes back on the watch counts.
    void store.commit({ guards: [], changes: [{ kind: 'put', key, value, lease: held.lease }] });
  }

  write();
  const cancel = clock.every(READER_ECHO_EVERY_MS, write);
  return {
    sentAt: (number) => sent.get(number),
    async close() {
      closed = true;
      cancel();
      await held?.close();
    },
  };
}
