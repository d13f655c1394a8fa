import { later, type StoreRevision } from '@sallyport/model';
import type { StoreClock } from './clock.ts';
import { checkKey, checkTransaction } from './limits.ts';
import { createEngine, type Engine } from './memory-engine.ts';
import { createMemoryWatch, type MemoryWatch } from './memory-watch.ts';
import type { CommitOutcome, LeaseOutcome, Read, Store, StoreLease, Transaction } from './port.ts';

export type MemoryOperation = 'get' | 'list' | 'commit' | 'lease' | 'keepAlive' | 'revoke';

/** What goes wrong with one operation. Times are milliseconds on the store's clock. */
export interface Fault {
  /** Between the call and its taking effect. */
  readonly beforeMs?: number;
  /** Between its effect and the answer. */
  readonly afterMs?: number;
  /**
   * `unreached`: it never takes effect. `answer-lost`: it does, and nobody hears of it. `late`: the caller gives up at
   * once and it takes effect after `beforeMs` all the same. For the caller all three look alike.
   */
  readonly outcome?: 'unreached' | 'answer-lost' | 'late';
}

/** Asked at each operation; undefined means that all goes well. */
export type Faults = (operation: MemoryOperation) => Fault | undefined;

export interface MemoryStore {
  /** A client of its own, as each process has one: `close` and faults are its alone. */
  connect(faults?: Faults): MemoryClient;
  /** Forgets the history before `revision`; watches that still need it are `lost`. */
  compact(revision: StoreRevision): void;
  revision(): StoreRevision;
}

export interface MemoryClient extends Store {
  /** While cut off nothing arrives and no answer comes; watches say `disconnected` and go on afterwards. */
  cutOff(is: boolean): void;
}

export interface MemoryOptions {
  readonly clock: StoreClock;
  /** Events kept for watches that start in the past; the oldest are compacted away. */
  readonly historyMax?: number;
  /** How long after a commit watches hear of it, milliseconds; 0 is the same turn of the event loop, after the caller. */
  readonly watchDelayMs?: () => number;
}

export const HISTORY_EVENTS_MAX = 100_000;

const CLOSED = 'this client of the store is closed';
const CUT_OFF = 'the store did not answer';

/** A store in this process, with etcd's rules: for development, tests and simulations. */
export function createMemoryStore({
  clock,
  historyMax = HISTORY_EVENTS_MAX,
  watchDelayMs = () => 0,
}: MemoryOptions): MemoryStore {
  const engine = createEngine(clock, historyMax);
  return {
    connect: (faults = () => undefined) => connect(engine, clock, faults, watchDelayMs),
    compact: (revision) => engine.history.compact(revision),
    revision: () => engine.revision(),
  };
}

function connect(engine: Engine, clock: StoreClock, faults: Faults, watchDelayMs: () => number): MemoryClient {
  const watches = new Set<MemoryWatch>();
  let closed = false;
  let isCutOff = false;

  const pass = (ms: number): Promise<void> => new Promise((resolve) => void clock.at(later(clock.now(), ms), resolve));

  /** Does the operation as the network allows; the text says why there is no answer. */
  async function attempt<T>(operation: MemoryOperation, act: () => T): Promise<{ readonly answer: T } | string> {
    // Like a real client, answers never come inside the call.
    await Promise.resolve();
    if (closed) return CLOSED;
    const { beforeMs = 0, afterMs = 0, outcome } = faults(operation) ?? {};
    if (isCutOff || outcome === 'unreached') return CUT_OFF;
    if (outcome === 'late') {
      clock.at(later(clock.now(), beforeMs), () => void act());
      return CUT_OFF;
    }
    if (beforeMs > 0) await pass(beforeMs);
    if (isCutOff) return CUT_OFF;
    const answer = act();
    if (afterMs > 0) await pass(afterMs);
    return isCutOff || closed || outcome === 'answer-lost' ? CUT_OFF : { answer };
  }

  async function read<T>(operation: 'get' | 'list', act: () => T): Promise<Read<T>> {
    const done = await attempt(operation, () => ({ value: act(), revision: engine.revision() }));
    return typeof done === 'string' ? { kind: 'unavailable', message: done } : { kind: 'read', ...done.answer };
  }

  function leaseOf(id: string, ttlMs: number): StoreLease {
    return {
      id,
      ttlMs,
      async keepAlive() {
        const done = await attempt('keepAlive', () => engine.keepAlive(id));
        if (typeof done === 'string') return 'unavailable';
        return done.answer ? 'kept' : 'lost';
      },
      async revoke() {
        await attempt('revoke', () => engine.revoke(id));
      },
    };
  }

  return {
    async get(key) {
      checkKey(key);
      return read('get', () => engine.get(key));
    },
    list: (prefix) => read('list', () => engine.list(prefix)),
    async commit(transaction): Promise<CommitOutcome> {
      checkTransaction(transaction);
      // What the caller does with its arrays and buffers afterwards is its own business, also while the commit is slow.
      const sent = copyOf(transaction);
      const done = await attempt('commit', () => ({ ...engine.commit(sent), revision: engine.revision() }));
      if (typeof done === 'string') return { kind: 'unknown', message: done };
      const { answer } = done;
      return answer.kind === 'no-lease' ? { kind: 'refused', revision: answer.revision, failed: [] } : answer;
    },
    async lease(ttlMs): Promise<LeaseOutcome> {
      const done = await attempt('lease', () => engine.grant(ttlMs));
      if (typeof done === 'string') return { kind: 'unavailable', message: done };
      return { kind: 'leased', lease: leaseOf(done.answer.id, done.answer.ttlMs) };
    },
    watch(prefix, from, watcher) {
      const watch = createMemoryWatch({ engine, clock, prefix, from, watcher, delayMs: watchDelayMs, isCutOff: () => isCutOff });
      watches.add(watch);
      if (closed) watch.close();
      return {
        close() {
          watches.delete(watch);
          watch.close();
        },
      };
    },
    async close() {
      closed = true;
      for (const watch of watches) watch.close();
      watches.clear();
    },
    cutOff(is) {
      if (is === isCutOff) return;
      isCutOff = is;
      for (const watch of watches) watch.cutOff(is);
    },
  };
}

const copyOf = ({ guards, changes }: Transaction): Transaction => ({
  guards: [...guards],
  changes: changes.map((change) => (change.kind === 'put' ? { ...change, value: change.value.slice() } : change)),
});
