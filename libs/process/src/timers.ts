import type { Instant } from '@sallyport/model';

/**
 * What is due when: a binary heap by instant, in order of making among equals. Entries know their place, so that
 * cancelling really removes: a proxy makes and cancels minutes-long timers for each request, and leaving those in
 * until they come due would hold millions.
 */
export interface Timers {
  add(due: Instant, act: () => void): () => void;
  /** When the next entry is due; undefined when there is none. */
  next(): Instant | undefined;
  /** Removes the first entry that is due at `now` and returns its act, which does nothing once the entry is cancelled. */
  takeDue(now: Instant): (() => void) | undefined;
}

interface Entry {
  readonly due: Instant;
  readonly order: number;
  act: () => void;
  index: number;
}

const GONE = -1;
const nothing = (): void => undefined;

const before = (a: Entry, b: Entry): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

export function createTimers(): Timers {
  const heap: Entry[] = [];
  let made = 0;

  const place = (entry: Entry, index: number): void => {
    heap[index] = entry;
    entry.index = index;
  };

  function rise(entry: Entry): void {
    while (entry.index > 0) {
      const at = entry.index;
      const above = (at - 1) >> 1;
      const parent = heap[above] as Entry;
      if (!before(entry, parent)) return;
      place(entry, above);
      place(parent, at);
    }
  }

  function sink(entry: Entry): void {
    for (;;) {
      const at = entry.index;
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
      const least = right !== undefined && left !== undefined && before(right, left) ? right : left;
      if (least === undefined || !before(least, entry)) return;
      const below = least.index;
      place(least, at);
      place(entry, below);
    }
  }

  function remove(entry: Entry): void {
    if (entry.index === GONE) return;
    const at = entry.index;
    const last = heap.pop() as Entry;
    entry.index = GONE;
    if (last === entry) return;
    place(last, at);
    rise(last);
    sink(last);
  }

  return {
    add(due, act) {
      made += 1;
      const entry: Entry = { due, order: made, act, index: heap.length };
      heap.push(entry);
      rise(entry);
      return () => {
        remove(entry);
        entry.act = nothing;
      };
    },
    next: () => heap[0]?.due,
    takeDue(now) {
      const first = heap[0];
      if (first === undefined || first.due > now) return undefined;
      remove(first);
      return () => first.act();
    },
  };
}
