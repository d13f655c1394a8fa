import type { StoreRevision } from '@sallyport/model';
import type { Store, StoreEvent, StoreWatch, StoreWatcher } from '@sallyport/store';
import type { Network } from '../net/network.ts';
import type { Random } from '../random.ts';
import type { Schedule } from '../time/schedule.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { StoreFaults } from './faults.ts';
import { STORE } from './transport.ts';

export interface SimWatchOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: Random;
  readonly client: SimProcess;
  readonly place: string;
  readonly store: Store;
  readonly prefix: string;
  readonly from: StoreRevision;
  readonly watcher: StoreWatcher;
  readonly faults: StoreFaults;
  readonly isDown: () => boolean;
  readonly onCompacted: () => void;
}

/** A connection that has carried nothing for so long is given up and made anew, from the last revision delivered. */
const BROKEN_AFTER_MS = 6_000;
const RETRY_MS = { min: 100, max: 1_000 };

interface Batch {
  readonly events: readonly StoreEvent[];
  readonly revision: StoreRevision;
  readonly due: number;
}

/**
 * A watch over the network: in order, none left out, late. After a loss it resumes behind what it delivered last, and is
 * lost when history was compacted past that. Batches that wait together arrive as one.
 */
export function createSimWatch(options: SimWatchOptions): StoreWatch {
  const { schedule, network, random, client, place, store, prefix, watcher, faults, isDown } = options;
  let next = options.from;
  let queue: Batch[] = [];
  let lastDue = 0;
  let pumping = false;
  let blockedSince: number | undefined;
  let closed = false;
  let inner: StoreWatch | undefined;
  let generation = 0;

  const blocked = (): boolean => isDown() || network.isBlocked(STORE, place) || network.isBlocked(place, STORE);

  function connect(): void {
    generation += 1;
    const mine = generation;
    inner = store.watch(prefix, next, {
      changed(events, revision) {
        if (closed || mine !== generation) return;
        const lagMs = random.chance(faults.watchLag) ? random.between(0, faults.watchLagMs) : 0;
        lastDue = Math.max(lastDue, schedule.now() + network.latencyMs(STORE, place) + lagMs);
        queue.push({ events, revision, due: lastDue });
        plan(lastDue - schedule.now());
      },
      lost() {
        if (closed || mine !== generation) return;
        options.onCompacted();
        const tell = (): void => {
          if (!closed) watcher.lost();
        };
        schedule.after(network.latencyMs(STORE, place), { who: client.name, does: 'watch compacted' }, () =>
          client.deliver('watch compacted', tell),
        );
      },
    });
  }

  function plan(ms: number): void {
    if (pumping) return;
    pumping = true;
    schedule.after(ms, { who: client.name, does: 'watch' }, pump);
  }

  function pump(): void {
    pumping = false;
    if (closed || queue.length === 0) return;
    if (blocked()) return wait();
    blockedSince = undefined;
    const due = queue.filter((batch) => batch.due <= schedule.now());
    const last = due.at(-1);
    if (last === undefined) return plan((queue[0] as Batch).due - schedule.now());
    queue = queue.slice(due.length);
    const following = queue[0];
    if (following !== undefined) plan(following.due - schedule.now());
    const mine = generation;
    client.deliver('watch', () => {
      if (closed || mine !== generation) return;
      next = (last.revision + 1n) as StoreRevision;
      watcher.changed(
        due.flatMap(({ events }) => events),
        last.revision,
      );
    });
  }

  function wait(): void {
    blockedSince ??= schedule.now();
    if (schedule.now() - blockedSince < BROKEN_AFTER_MS) return plan(random.between(RETRY_MS.min, RETRY_MS.max));
    inner?.close();
    queue = [];
    generation += 1;
    client.deliver('watch broken', () => watcher.disconnected?.(true));
    reconnect();
  }

  function reconnect(): void {
    schedule.after(random.between(RETRY_MS.min, RETRY_MS.max), { who: client.name, does: 'watch reconnects' }, () => {
      if (closed) return;
      if (blocked() || !client.awake()) return reconnect();
      blockedSince = undefined;
      client.deliver('watch whole', () => watcher.disconnected?.(false));
      connect();
    });
  }

  connect();
  return {
    close() {
      closed = true;
      inner?.close();
    },
  };
}
