import { assert, type StoreRevision } from '@sallyport/model';
import { vi } from 'vitest';
import type { Store, StoreWatch } from '../port.ts';
import { committed, put, text } from './harness.ts';

/** Everything that a watch told, and hooks into the moments at which it does. */
export interface Watched {
  /** Values of puts, in order. */
  readonly values: string[];
  readonly disconnections: boolean[];
  lostCount(): number;
  until(last: string, ms?: number): Promise<void>;
  close(): void;
}

export interface WatchedHooks {
  onChanged?(): void;
  onConnected?(): void;
}

export function watchValues(store: Store, prefix: string, from: bigint, hooks: WatchedHooks = {}): Watched {
  const values: string[] = [];
  const disconnections: boolean[] = [];
  let lost = 0;
  const watch: StoreWatch = store.watch(prefix, from as StoreRevision, {
    changed(events) {
      for (const event of events) values.push(event.kind === 'put' ? text(event.entry.value) : `-${event.key}`);
      hooks.onChanged?.();
    },
    lost() {
      lost += 1;
    },
    disconnected(is) {
      disconnections.push(is);
      if (!is) hooks.onConnected?.();
    },
  });
  return {
    values,
    disconnections,
    lostCount: () => lost,
    until: (last, timeout = 60_000) =>
      vi.waitFor(() => assert(values.at(-1) === last, `the watch has come to ${last}`), { timeout, interval: 20 }),
    close: () => watch.close(),
  };
}

/** Puts `first` to `last` as values of one key each, many at a time, and returns the revision of the first. */
export async function putNumbers(store: Store, prefix: string, first: number, last: number): Promise<bigint> {
  let revision: bigint | undefined;
  for (let number = first; number <= last; number += 1) {
    const at = await committed(store, [put(`${prefix}${number}`, String(number))]);
    revision ??= at;
  }
  assert(revision !== undefined, 'there is a first');
  return revision;
}

export const numbers = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String(first + index));

/** Repeats a commit until it is settled, as callers do: unknown outcomes are read, not repeated blindly. */
export async function settle(store: Store, key: string, value: string, ms: number): Promise<{ unknown: number; tookMs: number }> {
  const startedAt = performance.now();
  for (let unknown = 0; performance.now() - startedAt < ms; ) {
    const outcome = await store.commit({ guards: [{ key, is: 'absent' }], changes: [put(key, value)] });
    if (outcome.kind === 'unknown') unknown += 1;
    else return { unknown, tookMs: performance.now() - startedAt };
  }
  throw new Error(`${key} was not settled within ${ms} ms`);
}
