import type { StoreRevision } from '@sallyport/model';
import type { StoreEntry, Transaction } from '@sallyport/store';
import type { SimProcess } from '../time/sim-process.ts';

/** Probabilities of what befalls one operation. */
export interface StoreFaults {
  requestLost: number;
  answerLost: number;
  /** The caller gives up, and it happens all the same. */
  late: number;
  /** A read from some seconds ago (etcd #20418). */
  staleRead: number;
  /** A delivery to a watch that takes up to `watchLagMs`. */
  watchLag: number;
  watchLagMs: number;
  /** How much longer than it was asked for a lease may live: a TTL is a lower bound. */
  leaseExtraMs: number;
  /** No guard is ever compared: what the simulation must not survive. */
  guardsOff: boolean;
}

export const NO_STORE_FAULTS: StoreFaults = {
  requestLost: 0,
  answerLost: 0,
  late: 0,
  staleRead: 0,
  watchLag: 0,
  watchLagMs: 0,
  leaseExtraMs: 0,
  guardsOff: false,
};

export interface StoreSeen {
  /** A transaction was decided: by whom it was sent, what it was, and what became of it. */
  decided(process: SimProcess, transaction: Transaction, outcome: 'committed' | 'refused', revision: StoreRevision): void;
  count(what: StoreCount): void;
  /** Everything under a prefix as it was at a revision that is not long past. */
  entriesAt(revision: StoreRevision, prefix: string): readonly StoreEntry[] | undefined;
}

export type StoreCount =
  | 'commits unknown'
  | 'unknown, committed'
  | 'unknown, not committed'
  | 'commits late'
  | 'stale reads'
  | 'watches compacted';
