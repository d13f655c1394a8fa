import type { StoreRevision } from '@sallyport/model';
import { expect } from 'vitest';
import type { StoreCache } from '../cache.ts';
import type { CommitOutcome, Store, StoreEntry, StoreEvent, Transaction } from '../port.ts';

/** What the contract needs of an adapter under test; one per test. */
export interface StoreHarness {
  /** A client of its own on the one store. */
  connect(): Store;
  /** Ends with a slash; no other test's keys are under it. */
  readonly prefix: string;
  /** The next commit of this client gets no answer; `happens` says whether it takes effect. */
  loseAnswerOfNextCommit(store: Store, happens: boolean): void;
  compact(revision: StoreRevision): Promise<void>;
  /** Breaks this client's connections, does `meanwhile` through others, and lets them come back. */
  breakConnections(store: Store, meanwhile: () => Promise<void>): Promise<void>;
  /** Lets this much of the store's time pass, and what it causes happen. */
  pass(ms: number): Promise<void>;
  /** For stores whose time cannot be hurried: how long leases are that run out in tests. Milliseconds. */
  readonly leaseMs?: number;
  close(): Promise<void>;
}

export type MakeHarness = () => Promise<StoreHarness>;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array): string => new TextDecoder().decode(value);

export const put = (key: string, value: string) => ({ kind: 'put', key, value: bytes(value) }) as const;
export const drop = (key: string) => ({ kind: 'delete', key }) as const;

/** What a subscriber has that keeps everything it is told. */
export function keepEntries(cache: StoreCache): ReadonlyMap<string, StoreEntry> {
  const entries = new Map<string, StoreEntry>();
  cache.onChange((events) => {
    for (const event of events)
      if (event.kind === 'put') entries.set(event.entry.key, event.entry);
      else entries.delete(event.key);
  });
  return entries;
}

/** Commits what must succeed. */
export async function committed(
  store: Store,
  changes: Transaction['changes'],
  guards: Transaction['guards'] = [],
): Promise<StoreRevision> {
  const outcome: CommitOutcome = await store.commit({ guards, changes });
  if (outcome.kind !== 'committed')
    throw new Error(
      `not committed: ${JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
    );
  return outcome.revision;
}

export async function entryOf(store: Store, key: string): Promise<StoreEntry | undefined> {
  const read = await store.get(key);
  if (read.kind !== 'read') throw new Error(read.message);
  return read.value;
}

/** A watcher that keeps everything, and can be waited on. */
export function record(harness: StoreHarness, store: Store, from: StoreRevision, prefix = harness.prefix) {
  const batches: { events: readonly StoreEvent[]; revision: StoreRevision }[] = [];
  let lostCount = 0;
  const watch = store.watch(prefix, from, {
    changed: (events, revision) => void batches.push({ events, revision }),
    lost: () => {
      lostCount += 1;
    },
  });
  const events = () => batches.flatMap((batch) => batch.events);
  return {
    batches,
    close: () => watch.close(),
    lostCount: () => lostCount,
    events,
    /** `key=value` or `-key`, with the key's part after the prefix. */
    story: () => events().map((event) => tell(event, harness.prefix)),
    until: (count: number) => eventually(harness, () => expect(events().length).toBeGreaterThanOrEqual(count)),
  };
}

const tell = (event: StoreEvent, prefix: string): string =>
  event.kind === 'put'
    ? `${event.entry.key.slice(prefix.length)}=${text(event.entry.value)}`
    : `-${event.key.slice(prefix.length)}`;

/** Twenty seconds in all: only what never comes has failed. */
const TRIES = 800;
const TRY_EACH_MS = 25;

/** Repeats until it holds, letting the store's time pass; throws the last failure. */
export async function eventually(harness: StoreHarness, check: () => void): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    await harness.pass(tried === 1 ? 0 : TRY_EACH_MS);
    try {
      return check();
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
}
