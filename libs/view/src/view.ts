import { createWorld, type RecordChange, type World } from '@sallyport/authority';
import type { StoreRevision } from '@sallyport/model';
import { type CacheOptions, followStore, ROOT } from '@sallyport/store';
import { decodeEvent } from './decode.ts';

/** The store's records as this process has seen them, kept up by one watch. */
export interface View {
  readonly world: World;
  /** False until the first list, and while history is being listed anew. */
  complete(): boolean;
  /** For health only: authority asks for its own writes to come back. */
  connected(): boolean;
  /** After each change, with all records that it moved. A renewal that was merely listed proves nothing about the present. */
  onChange(listener: ViewListener): () => void;
  /** Resolves when the view has reached this revision: that of one's own write, which must come back on the watch. */
  reached(revision: StoreRevision): Promise<void>;
  readonly ready: Promise<void>;
  close(): void;
}

export type ViewListener = (changes: readonly RecordChange[], how: 'watched' | 'listed') => void;

export interface ViewOptions extends Pick<CacheOptions, 'store' | 'clock' | 'onRelist'> {
  /** A value that cannot be read: said once for each. */
  readonly onProblem: (problem: string) => void;
}

export function followWorld({ onProblem, ...options }: ViewOptions): View {
  const world = createWorld();
  const listeners = new Set<ViewListener>();
  let waiting: { readonly revision: StoreRevision; readonly resolve: () => void }[] = [];
  const cache = followStore({ ...options, prefix: ROOT });

  cache.onChange((events, revision, how) => {
    const changes: RecordChange[] = [];
    for (const event of events) {
      const decoded = decodeEvent(event);
      if (decoded === undefined) continue;
      if (decoded.problem !== undefined) onProblem(decoded.problem);
      changes.push(decoded.change);
    }
    world.apply(changes, revision);
    for (const listener of [...listeners]) listener(changes, how);
    const reached = waiting.filter((waiter) => waiter.revision <= revision);
    waiting = waiting.filter((waiter) => waiter.revision > revision);
    for (const { resolve } of reached) resolve();
  });

  return {
    world,
    complete: () => cache.complete,
    connected: () => cache.connected,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reached(revision) {
      if (world.revision >= revision) return Promise.resolve();
      return new Promise((resolve) => void waiting.push({ revision, resolve }));
    },
    ready: cache.ready,
    close: () => cache.close(),
  };
}
