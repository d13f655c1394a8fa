import { later, type StoreRevision } from '@sallyport/model';
import type { StoreClock } from './clock.ts';
import type { Store, StoreEntry, StoreEvent, StoreWatch } from './port.ts';

/**
 * Tells what is under a prefix, as of one revision that only rises. It keeps no values, only how far each key has been told:
 * whoever subscribes reads them and keeps what is read, and the bytes would hold on to all that came with them.
 */
export interface StoreCache {
  /** What has been told; 0 before the first list. Rises with what arrives: a quiet store may be further on. */
  readonly revision: StoreRevision;
  /** False until the first list and while history is being listed anew; what was told is then an older state, whole. */
  readonly complete: boolean;
  /** False while the connection to the store is broken. For health: authority asks for its own writes to come back. */
  readonly connected: boolean;
  /**
   * Called after each change with what changed and the new revision; the first list is one such change,
   * also when it is empty, and a relist brings the differences, if there are any. A key that was deleted and made again meanwhile is one put:
   * its `createRevision` tells. Returns the function that ends it.
   */
  onChange(subscriber: CacheSubscriber): () => void;
  /** Settles when the first list is in. */
  readonly ready: Promise<void>;
  close(): void;
}

/** `listed` events are what a list showed: they say what is there, not that it came about now. */
export type CacheSubscriber = (events: readonly StoreEvent[], revision: StoreRevision, how: 'watched' | 'listed') => void;

export interface CacheOptions {
  readonly store: Store;
  readonly prefix: string;
  readonly clock: StoreClock;
  /**
   * On a store where nobody else writes, every revision has an event under the prefix: one that is missing was lost on
   * the way, and everything is listed anew. `allowed` for prefixes that are only a part.
   */
  readonly holes?: 'relist' | 'allowed';
  /** For metrics and the log. */
  readonly onRelist?: (why: RelistReason) => void;
}

/** `stale`: a list showed less than was seen already. */
export type RelistReason = 'compacted' | 'hole' | 'unavailable' | 'stale';

/** Between two tries to list, so that neither a store in trouble nor a stranger's writes are answered with a storm. */
export const RELIST_EACH_MS = 1_000;

export function followStore({ store, prefix, clock, holes = 'relist', onRelist = () => undefined }: CacheOptions): StoreCache {
  const told = new Map<string, StoreRevision>();
  const subscribers = new Set<CacheSubscriber>();
  const ready = Promise.withResolvers<void>();
  let revision = 0n as StoreRevision;
  let complete = false;
  let connected = true;
  let closed = false;
  let watch: StoreWatch | undefined;
  let listedAt = clock.now();
  let cancelRetry = (): void => undefined;

  async function list(): Promise<void> {
    listedAt = clock.now();
    const listed = await store.list(prefix);
    if (closed) return;
    if (listed.kind === 'unavailable') return relist('unavailable');
    // A linearizable read after a pause of the server may be old all the same (etcd #20418). Taking it would show an older
    // state under a newer revision, and whoever waited for that revision would judge by what is past.
    if (listed.revision < revision) return relist('stale');
    const events = difference(told, listed.value, listed.revision);
    complete = true;
    connected = true;
    watch = store.watch(prefix, (listed.revision + 1n) as StoreRevision, {
      changed,
      lost: () => relist('compacted'),
      disconnected,
    });
    fold(events, listed.revision, 'listed');
    ready.resolve();
  }

  function relist(why: RelistReason): void {
    watch?.close();
    watch = undefined;
    complete = false;
    onRelist(why);
    cancelRetry = clock.at(later(listedAt, RELIST_EACH_MS), () => void list());
  }

  function changed(events: readonly StoreEvent[], last: StoreRevision): void {
    if (closed || !complete) return;
    if (holes === 'relist' && hasHole(events, revision)) relist('hole');
    else fold(events, last, 'watched');
  }

  function fold(events: readonly StoreEvent[], last: StoreRevision, how: 'watched' | 'listed'): void {
    for (const event of events) {
      if (event.kind === 'put') told.set(event.entry.key, event.entry.modRevision);
      else told.delete(event.key);
    }
    const isFirst = revision === 0n;
    if (last > revision) revision = last;
    // An empty store has a revision as well, and whoever writes how far it has seen must not say 0.
    if (events.length > 0 || isFirst) for (const subscriber of [...subscribers]) subscriber(events, revision, how);
  }

  function disconnected(is: boolean): void {
    connected = !is;
  }

  void list();
  return {
    get revision() {
      return revision;
    },
    get complete() {
      return complete;
    },
    get connected() {
      return connected && complete;
    },
    onChange(subscriber) {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    ready: ready.promise,
    close() {
      closed = true;
      complete = false;
      cancelRetry();
      watch?.close();
    },
  };
}

/** What turns what was told into `fresh`; nothing for entries that did not move. */
function difference(
  told: ReadonlyMap<string, StoreRevision>,
  fresh: readonly StoreEntry[],
  revision: StoreRevision,
): StoreEvent[] {
  const events: StoreEvent[] = [];
  const kept = new Set<string>();
  for (const entry of fresh) {
    kept.add(entry.key);
    if (told.get(entry.key) !== entry.modRevision) events.push({ kind: 'put', entry });
  }
  for (const key of told.keys()) if (!kept.has(key)) events.push({ kind: 'delete', key, modRevision: revision });
  return events;
}

/** Whether a revision after `seen` is missing. */
function hasHole(events: readonly StoreEvent[], seen: StoreRevision): boolean {
  let last: bigint = seen;
  for (const event of events) {
    const at = event.kind === 'put' ? event.entry.modRevision : event.modRevision;
    if (at > last + 1n) return true;
    last = at;
  }
  return false;
}
