import { later, type StoreRevision } from '@sallyport/model';
import type { StoreClock } from './clock.ts';
import type { Engine } from './memory-engine.ts';
import { revisionOf } from './memory-history.ts';
import type { StoreWatcher } from './port.ts';

export interface MemoryWatch {
  cutOff(is: boolean): void;
  close(): void;
}

export interface MemoryWatchOptions {
  readonly engine: Engine;
  readonly clock: StoreClock;
  readonly prefix: string;
  readonly from: StoreRevision;
  readonly watcher: StoreWatcher;
  readonly delayMs: () => number;
  readonly isCutOff: () => boolean;
}

/**
 * A watch is a place in the history and nothing more: it keeps no queue, so a slow or cut-off watcher costs nothing and
 * goes on where it was, or is lost when the history was compacted past it.
 */
export function createMemoryWatch({ engine, clock, prefix, from, watcher, delayMs, isCutOff }: MemoryWatchOptions): MemoryWatch {
  let next = from;
  let closed = false;
  let awake = false;
  const forget = engine.onCommit(wake);

  /** Never delivers inside the caller's stack: a watcher that commits would find its own event before its answer. */
  function wake(): void {
    if (awake || closed) return;
    awake = true;
    const ms = delayMs();
    if (ms > 0) clock.at(later(clock.now(), ms), deliver);
    else queueMicrotask(deliver);
  }

  function deliver(): void {
    awake = false;
    if (closed || isCutOff()) return;
    if (next > engine.revision()) return;
    const events = engine.history.since(next, prefix);
    if (events === 'compacted') {
      close();
      watcher.lost();
      return;
    }
    next = (engine.revision() + 1n) as StoreRevision;
    const last = events.at(-1);
    if (last !== undefined) watcher.changed(events, revisionOf(last));
  }

  function close(): void {
    closed = true;
    forget();
  }

  wake();
  return {
    cutOff(is) {
      watcher.disconnected?.(is);
      if (!is) wake();
    },
    close,
  };
}
