import { type Instant, later, type StoreRevision } from '@sallyport/model';
import type { StoreClock } from './clock.ts';
import { createHistory, type History } from './memory-history.ts';
import type { Guard, StoreEntry, StoreEvent, Transaction } from './port.ts';

/**
 * What an etcd cluster keeps, without its network: keys, revisions, leases and history. Every call is one atomic step;
 * clients (memory.ts) put the asynchrony and the faults around it.
 */
export interface Engine {
  revision(): StoreRevision;
  get(key: string): StoreEntry | undefined;
  list(prefix: string): readonly StoreEntry[];
  /** `no-lease`: a put names a lease that is gone. Expects a transaction that `checkTransaction` took. */
  commit(transaction: Transaction): EngineCommit;
  grant(ttlMs: number): { readonly id: string; readonly ttlMs: number };
  keepAlive(id: string): boolean;
  revoke(id: string): void;
  readonly history: History;
  /** Called after each commit, inside its call: for waking, never for delivering. */
  onCommit(wake: () => void): () => void;
}

export type EngineCommit =
  | { readonly kind: 'committed' }
  | { readonly kind: 'refused'; readonly failed: readonly number[] }
  | { readonly kind: 'no-lease' };

interface Lease {
  readonly ttlMs: number;
  readonly keys: Set<string>;
  expiresAt: Instant;
  cancel: () => void;
}

export function createEngine(clock: StoreClock, historyMax: number): Engine {
  const entries = new Map<string, StoreEntry>();
  const leases = new Map<string, Lease>();
  const leaseOf = new Map<string, Lease>();
  const wakes = new Set<() => void>();
  const history = createHistory(historyMax);
  let grantedCount = 0;

  const holds = (guard: Guard): boolean => {
    const entry = entries.get(guard.key);
    switch (guard.is) {
      case 'absent':
        return entry === undefined;
      case 'created-at':
        return entry?.createRevision === guard.revision;
      case 'unmoved-since':
        return entry?.modRevision === guard.revision;
    }
  };

  /** All of it becomes one revision; nothing at all leaves the revision as it is, as in etcd. */
  function apply(changes: Transaction['changes']): void {
    const revision = (history.revision() + 1n) as StoreRevision;
    const events: StoreEvent[] = [];
    for (const change of changes) {
      const { key } = change;
      const before = entries.get(key);
      if (change.kind === 'delete') {
        if (before === undefined) continue;
        entries.delete(key);
        attach(key, undefined);
        events.push({ kind: 'delete', key, modRevision: revision });
        continue;
      }
      const entry = { key, value: change.value, createRevision: before?.createRevision ?? revision, modRevision: revision };
      entries.set(key, entry);
      attach(key, change.lease === undefined ? undefined : leases.get(change.lease.id));
      events.push({ kind: 'put', entry });
    }
    if (events.length === 0) return;
    history.add(events);
    for (const wake of wakes) wake();
  }

  function attach(key: string, lease: Lease | undefined): void {
    leaseOf.get(key)?.keys.delete(key);
    if (lease === undefined) leaseOf.delete(key);
    else {
      leaseOf.set(key, lease);
      lease.keys.add(key);
    }
  }

  function end(id: string): void {
    const lease = leases.get(id);
    if (lease === undefined) return;
    lease.cancel();
    leases.delete(id);
    apply([...lease.keys].sort().map((key) => ({ kind: 'delete', key })));
  }

  /** Counts the whole time again from now. */
  function begin(id: string, lease: Lease): void {
    lease.cancel();
    lease.expiresAt = later(clock.now(), lease.ttlMs);
    lease.cancel = clock.at(lease.expiresAt, () => end(id));
  }

  return {
    revision: () => history.revision(),
    get: (key) => entries.get(key),
    list: (prefix) => [...entries.values()].filter(({ key }) => key.startsWith(prefix)).sort((a, b) => (a.key < b.key ? -1 : 1)),
    commit({ guards, changes }) {
      const failed = guards.flatMap((guard, index) => (holds(guard) ? [] : [index]));
      if (failed.length > 0) return { kind: 'refused', failed };
      for (const change of changes) {
        if (change.kind === 'put' && change.lease !== undefined && !leases.has(change.lease.id)) return { kind: 'no-lease' };
      }
      apply(changes);
      return { kind: 'committed' };
    },
    grant(ttlMs) {
      grantedCount += 1;
      const id = `lease-${grantedCount}`;
      // Whole seconds, as etcd grants them.
      const lease: Lease = {
        ttlMs: Math.ceil(ttlMs / 1_000) * 1_000,
        keys: new Set(),
        expiresAt: clock.now(),
        cancel: () => undefined,
      };
      leases.set(id, lease);
      begin(id, lease);
      return { id, ttlMs: lease.ttlMs };
    },
    keepAlive(id) {
      const lease = leases.get(id);
      if (lease === undefined) return false;
      // Its time is over although the timer is late: a keepalive does not raise the dead.
      if (clock.now() >= lease.expiresAt) {
        end(id);
        return false;
      }
      begin(id, lease);
      return true;
    },
    revoke: end,
    history,
    onCommit(wake) {
      wakes.add(wake);
      return () => void wakes.delete(wake);
    },
  };
}
