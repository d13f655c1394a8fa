import type { StoreRevision } from '@sallyport/model';
import type { StoreEvent } from './port.ts';

/** The events of the latest revisions, bounded. Every revision after the first has at least one event. */
export interface History {
  revision(): StoreRevision;
  /** The events of one new revision. */
  add(events: readonly StoreEvent[]): void;
  /** Everything under `prefix` from `from` on, up to now; `compacted` when some of it is gone. */
  since(from: StoreRevision, prefix: string): readonly StoreEvent[] | 'compacted';
  /** Forgets what came before `revision`. Throws for one that does not exist yet. */
  compact(revision: StoreRevision): void;
}

export function createHistory(eventsMax: number): History {
  /** One entry a revision, the first being that of `oldest`; never empty. etcd too begins at 1, with nothing in it. */
  let revisions: (readonly StoreEvent[])[] = [[]];
  let oldest = 1n as StoreRevision;
  let eventCount = 0;

  const revision = (): StoreRevision => (oldest + BigInt(revisions.length) - 1n) as StoreRevision;

  function forget(count: number): void {
    for (const events of revisions.slice(0, count)) eventCount -= events.length;
    revisions = revisions.slice(count);
    oldest = (oldest + BigInt(count)) as StoreRevision;
  }

  return {
    revision,
    add(events) {
      revisions.push(events);
      eventCount += events.length;
      // A quarter at once, since each forgetting copies what is kept.
      if (eventCount > eventsMax) forget(Math.max(1, Math.floor(revisions.length / 4)));
    },
    since(from, prefix) {
      if (from < oldest) return 'compacted';
      return revisions
        .slice(Number(from - oldest))
        .flat()
        .filter((event) => keyOf(event).startsWith(prefix));
    },
    compact(upTo) {
      if (upTo > revision()) throw new RangeError(`revision ${upTo} is still to come`);
      if (upTo > oldest) forget(Number(upTo - oldest));
    },
  };
}

export const keyOf = (event: StoreEvent): string => (event.kind === 'put' ? event.entry.key : event.key);
export const revisionOf = (event: StoreEvent): StoreRevision =>
  event.kind === 'put' ? event.entry.modRevision : event.modRevision;
