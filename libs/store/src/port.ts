import type { StoreRevision } from '@sallyport/model';

/**
 * The store as the authority needs it: five functions. Two adapters, memory and etcd, pass one contract suite.
 *
 * Revisions are the store's own: every commit that changes anything raises the one number by one, and each key carries
 * the revision that created it and the one that last changed it (etcd's create_revision and mod_revision).
 */
export interface Store {
  /** Linearizable read of one key. */
  get(key: string): Promise<Read<StoreEntry | undefined>>;
  /** Every entry whose key starts with `prefix`, sorted by key, as of one revision. */
  list(prefix: string): Promise<Read<readonly StoreEntry[]>>;
  /**
   * Every change under `prefix` from revision `from` on (inclusive), in order, none left out, a revision never split
   * over two batches. Resumes by itself after a broken connection. Ends only by `close`, or by `lost`.
   */
  watch(prefix: string, from: StoreRevision, watcher: StoreWatcher): StoreWatch;
  /**
   * Checks all guards and does all changes at one revision, or nothing. At most {@link COMMIT_OPERATIONS_MAX} of each.
   * Rejects with a RangeError for a transaction past the limits (limits.ts): a mistake of the caller.
   */
  commit(transaction: Transaction): Promise<CommitOutcome>;
  /** A lease to attach keys to. Its end in the store is a lower bound: judge life by the time a keepalive was *sent*. */
  lease(ttlMs: number): Promise<LeaseOutcome>;
  /** What answers, for people; undefined: nothing has yet. Absent: the store is in this process. */
  server?(): StoreServer | undefined;
  /** Ends watches, leases' keepalives and connections; leases that were not revoked run out by themselves. */
  close(): Promise<void>;
}

export interface StoreServer {
  readonly name: string;
  readonly version: string;
  /** The least version without known bugs that matter, if it is older than that. */
  readonly wanted: string | undefined;
}

/** etcd's `--max-txn-ops` default. */
export const COMMIT_OPERATIONS_MAX = 128;

export interface StoreEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: StoreRevision;
  readonly modRevision: StoreRevision;
}

/** `unavailable`: no answer within the deadline, or none that proves itself current. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T; readonly revision: StoreRevision }
  | { readonly kind: 'unavailable'; readonly message: string };

export type Guard =
  | { readonly key: string; readonly is: 'absent' }
  /** This incarnation of the key: survives updates, not a deletion. */
  | { readonly key: string; readonly is: 'created-at'; readonly revision: StoreRevision }
  | { readonly key: string; readonly is: 'unmoved-since'; readonly revision: StoreRevision };

export type Change =
  | { readonly kind: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: StoreLease }
  | { readonly kind: 'delete'; readonly key: string };

export interface Transaction {
  readonly guards: readonly Guard[];
  /** Each key at most once. */
  readonly changes: readonly Change[];
}

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly revision: StoreRevision }
  /**
   * Nothing was changed. `failed` are the guards that did not hold, as indexes into `guards`; none, when all held and a
   * put named a lease that the store no longer knows.
   */
  | { readonly kind: 'refused'; readonly revision: StoreRevision; readonly failed: readonly number[] }
  /** It may or may not have happened, or may yet happen: settle by reading the key and comparing the operation's id. */
  | { readonly kind: 'unknown'; readonly message: string };

export interface StoreWatcher {
  /** All changes of one or more whole revisions, in order; `revision` is the last of them. */
  changed(events: readonly StoreEvent[], revision: StoreRevision): void;
  /** History was compacted away under the watch: list again, compare, and watch from there. Nothing follows. */
  lost(): void;
  /** The connection to the store broke (true) or is whole again (false); for health only, never for authority. */
  disconnected?(is: boolean): void;
}

export type StoreEvent =
  | { readonly kind: 'put'; readonly entry: StoreEntry }
  | { readonly kind: 'delete'; readonly key: string; readonly modRevision: StoreRevision };

export interface StoreWatch {
  close(): void;
}

export interface StoreLease {
  readonly id: string;
  /** What the store granted, which may be more than was asked; milliseconds. */
  readonly ttlMs: number;
  /** One keepalive. `lost`: the store no longer knows the lease. Never proof of authority by itself. */
  keepAlive(): Promise<'kept' | 'lost' | 'unavailable'>;
  revoke(): Promise<void>;
}

export type LeaseOutcome =
  | { readonly kind: 'leased'; readonly lease: StoreLease }
  | { readonly kind: 'unavailable'; readonly message: string };
