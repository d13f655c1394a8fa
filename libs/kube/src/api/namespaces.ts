import type { Cache, Change, Differences, Tracked } from './cache.ts';
import { type Followed, type FollowOptions, follow } from './follow.ts';

/** One kind of object in some namespaces, or in all: one watch for each, and one answer for them together. */
export interface FollowedAll<T extends Tracked> {
  readonly caches: readonly Cache<T>[];
  get(uid: string): T | undefined;
  complete(): boolean;
  /** That of the oldest part; undefined until every part has been listed. */
  ageMs(): number | undefined;
  counts(): Followed<T>['counts'];
  onChange(listener: (changes: readonly Change<T>[]) => void): void;
  stop(): void;
}

export interface NamespacesOptions<T extends Tracked> extends Omit<FollowOptions<T>, 'path' | 'onSay' | 'onChecked'> {
  /** Such as `/api/v1`. */
  readonly api: string;
  /** Such as `pods`. */
  readonly resource: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly onSay: (path: string, what: string) => void;
  readonly onChecked: (path: string, differences: Differences) => void;
}

export function followNamespaces<T extends Tracked>({
  api,
  resource,
  namespaces,
  onSay,
  onChecked,
  ...options
}: NamespacesOptions<T>): FollowedAll<T> {
  const paths =
    namespaces.length === 0
      ? [`${api}/${resource}`]
      : namespaces.map((namespace) => `${api}/namespaces/${encodeURIComponent(namespace)}/${resource}`);
  const parts = paths.map((path) =>
    follow<T>({
      ...options,
      path,
      onSay: (what) => onSay(path, what),
      onChecked: (differences) => onChecked(path, differences),
    }),
  );
  return {
    caches: parts.map(({ cache }) => cache),
    get(uid) {
      for (const { cache } of parts) {
        const item = cache.items.get(uid);
        if (item !== undefined) return item;
      }
      return undefined;
    },
    complete: () => parts.every((part) => part.complete()),
    ageMs() {
      let oldest = 0;
      for (const part of parts) {
        const age = part.ageMs();
        if (age === undefined) return undefined;
        oldest = Math.max(oldest, age);
      }
      return oldest;
    },
    counts() {
      const sum = { lists: 0, checks: 0, watches: 0, events: 0, differences: 0 };
      for (const { counts } of parts) for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
      return sum;
    },
    onChange(listener) {
      for (const { cache } of parts) cache.onChange(listener);
    },
    stop() {
      for (const part of parts) part.stop();
    },
  };
}
