import { isOlder } from './version.ts';

/** An object of one life: a UID never comes back. */
export interface Tracked {
  readonly uid: string;
  readonly version: string;
}

export type Change<T> =
  | { readonly kind: 'put'; readonly item: T; readonly before: T | undefined }
  | { readonly kind: 'removed'; readonly item: T };

/** How a list taken at one version differs from what is held, beyond what has happened since. */
export interface Differences {
  readonly missing: number;
  readonly behind: number;
  readonly extra: number;
}

/** What was listed and watched, by UID. Events may come twice, late or after a restart: nothing goes back. */
export interface Cache<T extends Tracked> {
  readonly items: ReadonlyMap<string, T>;
  put(item: T): void;
  remove(item: T): void;
  /** A fresh list is the truth; listeners hear only what differs. */
  replace(items: readonly T[], version: string): void;
  /** Compares with a list of some moments ago, mends what differs and tells how much did. */
  check(items: readonly T[], version: string): Differences;
  /** Every change of one event or list comes in one call, so that nobody sees half of it. */
  onChange(listener: (changes: readonly Change<T>[]) => void): void;
}

/** UIDs that are remembered as gone: an event may be late by minutes, not by so many objects. */
export const GONE_MAX = 20_000;

export function createCache<T extends Tracked>(): Cache<T> {
  const items = new Map<string, T>();
  const gone = new Map<string, string>();
  const listeners: ((changes: readonly Change<T>[]) => void)[] = [];

  const tell = (changes: readonly Change<T>[]): void => {
    if (changes.length > 0) for (const listener of listeners) listener(changes);
  };

  function hold(item: T): Change<T> {
    const before = items.get(item.uid);
    items.set(item.uid, item);
    gone.delete(item.uid);
    return { kind: 'put', item, before };
  }

  function bury(uid: string, version: string): void {
    gone.set(uid, version);
    if (gone.size > GONE_MAX) gone.delete(gone.keys().next().value as string);
  }

  function drop(item: T, version: string): Change<T> {
    items.delete(item.uid);
    bury(item.uid, version);
    return { kind: 'removed', item };
  }

  const isNews = (item: T): boolean => {
    if (gone.has(item.uid)) return false;
    const held = items.get(item.uid);
    return held === undefined || (held.version !== item.version && !isOlder(item.version, held.version));
  };

  return {
    items,
    put(item) {
      if (isNews(item)) tell([hold(item)]);
    },
    remove(item) {
      const held = items.get(item.uid);
      if (held !== undefined) tell([drop(held, item.version)]);
      else bury(item.uid, item.version);
    },
    replace(listed, version) {
      const present = new Set(listed.map(({ uid }) => uid));
      const changes: Change<T>[] = [...items.values()].filter(({ uid }) => !present.has(uid)).map((item) => drop(item, version));
      for (const item of listed) if (items.get(item.uid)?.version !== item.version) changes.push(hold(item));
      tell(changes);
    },
    check(listed, version) {
      const present = new Set(listed.map(({ uid }) => uid));
      const changes: Change<T>[] = [];
      const counts = { missing: 0, behind: 0, extra: 0 };
      for (const item of [...items.values()]) {
        // What is newer than the list was made after it.
        if (present.has(item.uid) || !(isOlder(item.version, version) || item.version === version)) continue;
        counts.extra += 1;
        changes.push(drop(item, version));
      }
      for (const item of listed) {
        const held = items.get(item.uid);
        const goneAt = gone.get(item.uid);
        // Deleted since: the list is what is behind.
        if (held === undefined && goneAt !== undefined && !isOlder(goneAt, version)) continue;
        if (held !== undefined && !isOlder(held.version, item.version)) continue;
        counts[held === undefined ? 'missing' : 'behind'] += 1;
        changes.push(hold(item));
      }
      tell(changes);
      return counts;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
