import { later, type StoreRevision } from '@sallyport/model';
import type { IWatchResponse } from 'etcd3';
import type { StoreClock } from '../clock.ts';
import type { StoreWatch, StoreWatcher } from '../port.ts';
import type { Connection } from './connection.ts';
import { eventOf } from './entries.ts';
import { until } from './until.ts';
import { runWatchStream } from './watch-stream.ts';
import type { Witness } from './witness.ts';

export interface EtcdWatchOptions {
  readonly connection: Connection;
  readonly witness: Witness;
  readonly clock: StoreClock;
  readonly deadlineMs: number;
}

/** Between two tries to open a watch that ended at once; doubled each time. */
const REOPEN_FIRST_MS = 50;
const REOPEN_MAX_MS = 1_000;

/**
 * A place in the history and a stream that moves it. Only delivered events move it: a header tells how far the *store* is, and
 * says so before the events up to there have been sent.
 */
export function startWatch(
  { connection, witness, clock, deadlineMs }: EtcdWatchOptions,
  prefix: string,
  from: StoreRevision,
  watcher: StoreWatcher,
): StoreWatch {
  const closing = new AbortController();
  let next = from;
  let closed = false;
  let saidDisconnected = false;
  let pauseMs = REOPEN_FIRST_MS;

  async function run(): Promise<void> {
    while (!closed && !connection.closed) {
      const link = await connection.proven(later(clock.now(), deadlineMs));
      if (closed || connection.closed) return;
      if (link === undefined) {
        disconnected(true);
        continue;
      }
      const end = await runWatchStream({
        ...{ link, witness, clock, prefix, deadlineMs, onResponse, signal: closing.signal },
        from: next,
        onOpen() {
          pauseMs = REOPEN_FIRST_MS;
          disconnected(false);
        },
      });
      if (closed || connection.closed) return;
      if (end.kind === 'compacted') {
        closed = true;
        return watcher.lost();
      }
      disconnected(true);
      connection.suspect(link);
      await until(clock, later(clock.now(), pauseMs), closing.signal);
      pauseMs = Math.min(pauseMs * 2, REOPEN_MAX_MS);
    }
  }

  function onResponse({ events }: IWatchResponse): void {
    if (closed || connection.closed) return;
    // etcd before 3.4.24 tells some events twice.
    const fresh = events.map(eventOf).filter((event) => revisionIn(event) >= next);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const revision = revisionIn(last);
    next = (revision + 1n) as StoreRevision;
    watcher.changed(fresh, revision);
  }

  function disconnected(is: boolean): void {
    if (is === saidDisconnected) return;
    saidDisconnected = is;
    watcher.disconnected?.(is);
  }

  void run();
  return {
    close() {
      closed = true;
      closing.abort();
    },
  };
}

const revisionIn = (event: ReturnType<typeof eventOf>): StoreRevision =>
  event.kind === 'put' ? event.entry.modRevision : event.modRevision;
