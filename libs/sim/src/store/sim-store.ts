import type { StoreRevision } from '@sallyport/model';
import { createMemoryStore, type MemoryStore, type Store, type StoreLease } from '@sallyport/store';
import type { Network } from '../net/network.ts';
import type { Random } from '../random.ts';
import type { Schedule } from '../time/schedule.ts';
import type { SimProcess } from '../time/sim-process.ts';
import { NO_STORE_FAULTS, type StoreFaults, type StoreSeen } from './faults.ts';
import { createTransport } from './transport.ts';
import { createSimWatch } from './watch.ts';

/**
 * The store with etcd's real weaknesses. What is decided in one transaction is right; all around it is not: answers are
 * lost, commits come late, a lease lives longer than was asked and begins anew with each leader, watches lag and fall into
 * gaps, reads are sometimes old.
 */
export interface SimStore {
  /** A client of its own for one process. */
  connect(process: SimProcess, place: string): Store;
  readonly faults: StoreFaults;
  /** A new leader: nobody is answered for so long, and every lease begins anew. */
  changeLeader(downMs: number): void;
  /** The whole cluster for so long. */
  stop(downMs: number): void;
  isDown(): boolean;
  /** Forgets history: whoever watches from before it must list again. */
  compact(): void;
  revision(): StoreRevision;
  /** Without faults, network or delay: for the truth. */
  readonly direct: Store;
}

export interface SimStoreOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: Random;
  /** The store's own machine. */
  readonly process: SimProcess;
  readonly seen: StoreSeen;
}

const STALE_REVISIONS_MAX = 30;

export function createSimStore({ schedule, network, random, process, seen }: SimStoreOptions): SimStore {
  const memory: MemoryStore = createMemoryStore({ clock: process.clock, historyMax: 4_000 });
  const direct = memory.connect();
  const leases = new Set<StoreLease>();
  const faults: StoreFaults = { ...NO_STORE_FAULTS };
  let downUntil = 0;
  const isDown = (): boolean => schedule.now() < downUntil;

  function stop(downMs: number): void {
    downUntil = Math.max(downUntil, schedule.now() + downMs);
  }

  async function read<T>(now: () => Promise<T>, before: (revision: StoreRevision) => T | undefined): Promise<T> {
    if (!random.chance(faults.staleRead)) return now();
    const revision = (memory.revision() - BigInt(random.int(1, STALE_REVISIONS_MAX))) as StoreRevision;
    const stale = revision > 1n ? before(revision) : undefined;
    if (stale === undefined) return now();
    seen.count('stale reads');
    return stale;
  }

  function connect(client: SimProcess, place: string): Store {
    const transport = createTransport({ schedule, network, random, client, place, faults, isDown, seen });
    const inner = memory.connect();
    const watches = new Set<{ close(): void }>();

    const leaseOf = (lease: StoreLease, ttlMs: number): StoreLease => ({
      id: lease.id,
      ttlMs,
      async keepAlive() {
        const answer = await transport.ask('keepalive', () => lease.keepAlive());
        return answer.kind === 'answered' ? answer.value : 'unavailable';
      },
      async revoke() {
        await transport.ask('revoke', () => {
          leases.delete(lease);
          return lease.revoke();
        });
      },
    });

    const store: Store = {
      async get(key) {
        const answer = await transport.ask('get', () =>
          read(
            () => inner.get(key),
            (revision) => {
              const value = seen.entriesAt(revision, key)?.find((entry) => entry.key === key);
              return { kind: 'read' as const, value, revision };
            },
          ),
        );
        return answer.kind === 'answered' ? answer.value : { kind: 'unavailable', message: answer.why };
      },
      async list(prefix) {
        const answer = await transport.ask('list', () =>
          read(
            () => inner.list(prefix),
            (revision) => {
              const value = seen.entriesAt(revision, prefix);
              return value === undefined ? undefined : { kind: 'read' as const, value, revision };
            },
          ),
        );
        return answer.kind === 'answered' ? answer.value : { kind: 'unavailable', message: answer.why };
      },
      async commit(transaction) {
        const sent = { guards: faults.guardsOff ? [] : [...transaction.guards], changes: [...transaction.changes] };
        const answer = await transport.ask('commit', async () => {
          const outcome = await inner.commit(sent);
          if (outcome.kind !== 'unknown') seen.decided(client, transaction, outcome.kind, outcome.revision);
          return outcome;
        });
        return answer.kind === 'answered' ? answer.value : { kind: 'unknown', message: answer.why };
      },
      async lease(ttlMs) {
        const extraMs = random.between(0, faults.leaseExtraMs);
        const answer = await transport.ask('lease', () => inner.lease(ttlMs + extraMs));
        if (answer.kind !== 'answered') return { kind: 'unavailable', message: answer.why };
        if (answer.value.kind !== 'leased') return answer.value;
        leases.add(answer.value.lease);
        return { kind: 'leased', lease: leaseOf(answer.value.lease, Math.ceil(ttlMs / 1_000) * 1_000) };
      },
      watch(prefix, from, watcher) {
        const watch = createSimWatch({
          schedule,
          network,
          random,
          client,
          place,
          store: inner,
          prefix,
          from,
          watcher,
          faults,
          isDown,
          onCompacted: () => seen.count('watches compacted'),
        });
        watches.add(watch);
        return {
          close() {
            watches.delete(watch);
            watch.close();
          },
        };
      },
      async close() {
        end();
      },
    };
    function end(): void {
      for (const watch of watches) watch.close();
      watches.clear();
    }
    client.onKill(end);
    return store;
  }

  return {
    connect,
    faults,
    changeLeader(downMs) {
      stop(downMs);
      for (const lease of leases)
        void lease.keepAlive().then((kept) => {
          if (kept === 'lost') leases.delete(lease);
        });
    },
    stop,
    isDown,
    compact: () => memory.compact(memory.revision()),
    revision: () => memory.revision(),
    direct,
  };
}
