import type { StoreRevision } from '@sallyport/model';
import { createManualClock, settlePromises } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import { createMemoryStore, type Fault, type MemoryClient, type MemoryOptions } from './memory.ts';
import type { StoreEvent } from './port.ts';
import { storeContract } from './testing/contract.ts';
import { committed, put, type StoreHarness } from './testing/harness.ts';

storeContract('memory', async (): Promise<StoreHarness> => {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const nextCommit = new Map<unknown, Fault>();
  return {
    prefix: '/contract/',
    connect() {
      const client: MemoryClient = store.connect((operation) => {
        const fault = operation === 'commit' ? nextCommit.get(client) : undefined;
        if (fault !== undefined) nextCommit.delete(client);
        return fault;
      });
      return client;
    },
    loseAnswerOfNextCommit: (client, happens) => void nextCommit.set(client, { outcome: happens ? 'answer-lost' : 'unreached' }),
    compact: async (revision) => store.compact(revision),
    async breakConnections(client, meanwhile) {
      (client as MemoryClient).cutOff(true);
      await meanwhile();
      await clock.advanceAsync(100);
      (client as MemoryClient).cutOff(false);
    },
    pass: (ms) => clock.advanceAsync(ms),
    close: async () => undefined,
  };
});

function world(options: Partial<MemoryOptions> = {}) {
  const clock = createManualClock();
  return { clock, store: createMemoryStore({ clock, ...options }) };
}
const write = { guards: [], changes: [put('/a', '1')] };

describe('faults', () => {
  test('a late commit answers unknown at once and happens afterwards', async () => {
    const { clock, store } = world();
    const client = store.connect(() => ({ outcome: 'late', beforeMs: 500 }));
    expect((await client.commit(write)).kind).toBe('unknown');
    expect((await store.connect().get('/a')).kind === 'read' && store.revision()).toBe(1n);
    await clock.advanceAsync(500);
    expect(store.revision()).toBe(2n);
  });
  test('time before and after the effect', async () => {
    const { clock, store } = world();
    const client = store.connect(() => ({ beforeMs: 10, afterMs: 20 }));
    let answered = false;
    void client.commit(write).then(() => {
      answered = true;
    });
    await clock.advanceAsync(9);
    expect(store.revision()).toBe(1n);
    await clock.advanceAsync(1);
    expect([store.revision(), answered]).toEqual([2n, false]);
    await clock.advanceAsync(20);
    expect(answered).toBe(true);
  });
  test('being cut off on the way: before the effect nothing happens, after it nobody hears', async () => {
    const { clock, store } = world();
    const client = store.connect(() => ({ beforeMs: 10, afterMs: 10 }));
    for (const [ms, revision] of [
      [5, 1n],
      [15, 2n],
    ] as const) {
      const outcome = client.commit(write);
      await clock.advanceAsync(ms);
      client.cutOff(true);
      await clock.advanceAsync(20);
      expect((await outcome).kind).toBe('unknown');
      expect(store.revision()).toBe(revision);
      client.cutOff(false);
    }
  });
  test('a keepalive whose answer is lost is unavailable, and counts', async () => {
    const { clock, store } = world();
    let fault: Fault | undefined;
    const client = store.connect(() => fault);
    const outcome = await client.lease(3_000);
    if (outcome.kind !== 'leased') throw new Error(outcome.message);
    await committed(client, [{ ...put('/a', ''), lease: outcome.lease }]);
    await clock.advanceAsync(2_000);
    fault = { outcome: 'answer-lost' };
    expect(await outcome.lease.keepAlive()).toBe('unavailable');
    await clock.advanceAsync(2_999);
    expect(store.revision()).toBe(2n);
    await clock.advanceAsync(1);
    expect(store.revision()).toBe(3n);
  });
  test('watches say that they are cut off, and hear late what they missed', async () => {
    const { store } = world();
    const client = store.connect();
    const told: string[] = [];
    client.watch('/', 2n as StoreRevision, {
      changed: (events) => void told.push(`${events.length} events`),
      lost: () => void told.push('lost'),
      disconnected: (is) => void told.push(is ? 'off' : 'on'),
    });
    client.cutOff(true);
    await committed(store.connect(), [put('/a', '')]);
    await settlePromises();
    client.cutOff(false);
    await settlePromises();
    expect(told).toEqual(['off', 'on', '1 events']);
  });
});

describe('time', () => {
  test('an event never comes before the commit call has returned', async () => {
    const { store } = world();
    const client = store.connect();
    const order: string[] = [];
    client.watch('/', 2n as StoreRevision, { changed: () => void order.push('event'), lost: () => undefined });
    const answer = client.commit(write);
    order.push('returned');
    await answer;
    await settlePromises();
    expect(order).toEqual(['returned', 'event']);
  });
  test('watches can lag by a given time', async () => {
    const { clock, store } = world({ watchDelayMs: () => 30 });
    const seen: StoreEvent[] = [];
    store.connect().watch('/', 2n as StoreRevision, { changed: (events) => void seen.push(...events), lost: () => undefined });
    await clock.advanceAsync(30);
    await committed(store.connect(), [put('/a', '')]);
    await clock.advanceAsync(29);
    expect(seen).toHaveLength(0);
    await clock.advanceAsync(1);
    expect(seen).toHaveLength(1);
  });
  test('a lease whose timer is late is not brought back by a keepalive', async () => {
    const { clock, store } = world();
    const outcome = await store.connect().lease(3_000);
    clock.stall(3_000);
    expect(outcome.kind === 'leased' && (await outcome.lease.keepAlive())).toBe('lost');
  });
});

describe('history', () => {
  test('is bounded: a watch that starts too far back is lost, one that is recent is not', async () => {
    const { store } = world({ historyMax: 8 });
    const client = store.connect();
    for (let index = 0; index < 20; index += 1) await committed(client, [put('/a', String(index))]);
    const told: string[] = [];
    const watch = (from: bigint, name: string) =>
      client.watch('/', from as StoreRevision, {
        changed: (events) => void told.push(`${name}: ${events.length}`),
        lost: () => void told.push(`${name}: lost`),
      });
    watch(2n, 'old');
    watch(store.revision() - 3n, 'recent');
    await settlePromises();
    expect(told).toEqual(['old: lost', 'recent: 4']);
  });
  test('cannot be compacted into the future', () => {
    const { store } = world();
    expect(() => store.compact(2n as StoreRevision)).toThrow(RangeError);
  });
});
