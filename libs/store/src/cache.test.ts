import type { StoreRevision } from '@sallyport/model';
import { createManualClock, settlePromises } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { type CacheOptions, followStore, RELIST_EACH_MS } from './cache.ts';
import { createMemoryStore } from './memory.ts';
import type { Store, StoreEvent, StoreWatcher } from './port.ts';
import { committed, drop, keepEntries, put, text } from './testing/harness.ts';

/** A cache over a memory store whose client can be cut off, and everything its subscriber was told. */
async function world(options: Partial<CacheOptions> = {}) {
  const clock = createManualClock();
  const memory = createMemoryStore({ clock });
  const writer = memory.connect();
  await committed(writer, [put('/s/a', '1'), put('/s/b', '1')]);
  const client = memory.connect();
  const relists: string[] = [];
  const cache = followStore({ store: client, prefix: '/s/', clock, onRelist: (why) => void relists.push(why), ...options });
  const told: string[] = [];
  cache.onChange((events, revision, how) => void told.push(`${how} ${revision}: ${events.map(tell).join(' ')}`));
  const entries = keepEntries(cache);
  return {
    clock,
    memory,
    client,
    cache,
    told,
    relists,
    write: (...changes: Parameters<typeof committed>[1]) => committed(writer, changes),
    entries,
    contents: () => [...entries].map(([key, entry]) => `${key.slice(3)}=${text(entry.value)}`).join(' '),
  };
}
const tell = (event: StoreEvent): string =>
  event.kind === 'put' ? `${event.entry.key.slice(3)}=${text(event.entry.value)}` : `-${event.key.slice(3)}`;

test('is not complete before the first list', async () => {
  const { cache, told } = await world();
  expect(cache.complete).toBe(false);
  expect(cache.revision).toBe(0n);
  expect(told).toEqual([]);
  await cache.ready;
  expect(cache.complete).toBe(true);
});
test('the whole value first, then changes', async () => {
  const { cache, told, write, contents, entries } = await world();
  await cache.ready;
  await write(put('/s/a', '2'), drop('/s/b'));
  await settlePromises();
  expect(told).toEqual(['listed 2: a=1 b=1', 'watched 3: a=2 -b']);
  expect(contents()).toBe('a=2');
  expect(entries.get('/s/a')?.modRevision).toBe(3n);
  expect(entries.get('/s/b')).toBeUndefined();
  expect(cache.revision).toBe(3n);
});
test('an empty store is told too, for its revision', async () => {
  const { told, cache } = await world({ prefix: '/none/', holes: 'allowed' });
  await cache.ready;
  expect(told).toEqual(['listed 2: ']);
});
test('a list that shows less than was seen is not taken', async () => {
  const { clock, memory, client, cache, relists, contents, write } = await world();
  await cache.ready;
  const old = await client.list('/s/');
  client.cutOff(true);
  await write(put('/s/a', '2'));
  client.cutOff(false);
  await settlePromises();
  client.cutOff(true);
  await write(put('/s/a', '3'));
  await write(put('/s/a', '4'));
  memory.compact(memory.revision());
  client.list = () => Promise.resolve(old);
  client.cutOff(false);
  await clock.advanceAsync(3 * RELIST_EACH_MS);
  expect([contents(), cache.complete, cache.revision]).toEqual(['a=2 b=1', false, 3n]);
  expect(relists).toContain('stale');
});
test('the revision is there before subscribers are told', async () => {
  const { cache, write } = await world();
  await cache.ready;
  const seen: unknown[] = [];
  cache.onChange(() => void seen.push(cache.revision));
  await write(put('/s/c', ''));
  await settlePromises();
  expect(seen).toEqual([3n]);
});
test('a subscriber that ended hears no more', async () => {
  const { cache, write } = await world();
  await cache.ready;
  let count = 0;
  const end = cache.onChange(() => {
    count += 1;
  });
  end();
  await write(put('/s/c', ''));
  await settlePromises();
  expect(count).toBe(0);
});

test('lists anew after a compaction and tells the differences alone', async () => {
  const { cache, clock, memory, client, told, relists, write, contents } = await world();
  await cache.ready;
  client.cutOff(true);
  await write(put('/s/a', '2'));
  await write(drop('/s/b'), put('/s/c', '1'));
  memory.compact(memory.revision());
  client.cutOff(false);
  await settlePromises();
  expect(cache.complete).toBe(false);
  expect(contents()).toBe('a=1 b=1');
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(relists).toEqual(['compacted']);
  expect(cache.complete).toBe(true);
  expect(told.slice(1)).toEqual(['listed 4: a=2 c=1 -b']);
  expect(contents()).toBe('a=2 c=1');
});
test('a key deleted and made again meanwhile is one put of a new incarnation', async () => {
  const { cache, clock, memory, client, told, write, entries } = await world();
  await cache.ready;
  client.cutOff(true);
  await write(drop('/s/a'));
  await write(put('/s/a', '1'));
  memory.compact(memory.revision());
  client.cutOff(false);
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(told.slice(1)).toEqual(['listed 4: a=1']);
  expect(entries.get('/s/a')?.createRevision).toBe(4n);
});
test('is silent when a relist finds nothing new', async () => {
  const { clock, memory, ...rest } = await world();
  void memory;
  const lossy = lossyStore(rest.client);
  const told: unknown[] = [];
  const cache = followStore({ store: lossy.store, prefix: '/s/', clock });
  cache.onChange((events) => void told.push(events.length));
  await cache.ready;
  lossy.lose();
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(cache.complete).toBe(true);
  expect(told).toEqual([2]);
});

/** Passes everything on, but can drop events or report the watch lost: what a broken client would do. */
function lossyStore(inner: Store) {
  let watcher: StoreWatcher | undefined;
  let drops = 0;
  const store: Store = {
    ...inner,
    watch(prefix, from, given) {
      watcher = given;
      const changed: StoreWatcher['changed'] = (events, revision) => {
        if (drops === 0) given.changed(events, revision);
        else drops -= 1;
      };
      return inner.watch(prefix, from, { ...given, changed });
    },
  };
  return {
    store,
    lose: () => watcher?.lost(),
    dropNext: () => {
      drops += 1;
    },
  };
}

test.each([
  ['relist', ['listed 2: a=1 b=1', 'listed 4: c=1 d=1']],
  ['allowed', ['listed 2: a=1 b=1', 'watched 4: d=1']],
] as const)('an event that never came shows as a hole: %s', async (holes, want) => {
  const { clock, client, write } = await world();
  const lossy = lossyStore(client);
  const told: string[] = [];
  const cache = followStore({ store: lossy.store, prefix: '/s/', clock, holes });
  cache.onChange((events, revision, how) => void told.push(`${how} ${revision}: ${events.map(tell).join(' ')}`));
  await cache.ready;
  lossy.dropNext();
  await write(put('/s/c', '1'));
  await settlePromises();
  await write(put('/s/d', '1'));
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(told).toEqual(want);
});
test("a stranger's write beside the prefix is a hole, and costs one relist a second at most", async () => {
  const { cache, clock, relists, write, entries } = await world();
  await cache.ready;
  for (let index = 0; index < 20; index += 1) {
    await write(put(`/foreign/${index}`, ''));
    await write(put('/s/a', String(index)));
    await clock.advanceAsync(100);
  }
  expect(relists.length).toBeGreaterThan(0);
  expect(relists.length).toBeLessThanOrEqual(3);
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(text(entries.get('/s/a')?.value as Uint8Array)).toBe('19');
});

test('goes on trying while the store is away', async () => {
  const { clock, memory, relists } = await world();
  const client = memory.connect();
  client.cutOff(true);
  const cache = followStore({ store: client, prefix: '/s/', clock, onRelist: (why) => void relists.push(why) });
  await clock.advanceAsync(3 * RELIST_EACH_MS);
  expect(cache.complete).toBe(false);
  expect(relists.filter((why) => why === 'unavailable').length).toBe(4);
  client.cutOff(false);
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(cache.complete).toBe(true);
});
test('stays complete while only the connection is broken, and says so', async () => {
  const { cache, client, clock, told, write } = await world();
  await cache.ready;
  client.cutOff(true);
  expect([cache.complete, cache.connected]).toEqual([true, false]);
  await write(put('/s/a', '2'));
  client.cutOff(false);
  await clock.advanceAsync(0);
  expect([cache.complete, cache.connected]).toEqual([true, true]);
  expect(told.at(-1)).toBe('watched 3: a=2');
});
test('hears nothing after it was closed, also when a list was on the way', async () => {
  const { cache, told, write, clock } = await world();
  cache.close();
  await write(put('/s/a', '2'));
  await clock.advanceAsync(5 * RELIST_EACH_MS);
  expect(told).toEqual([]);
  expect(cache.complete).toBe(false);
  expect(clock.pendingCount()).toBe(0);
});
test('revisions only rise', async () => {
  const { cache, clock, memory, client, write } = await world();
  const seen: StoreRevision[] = [];
  cache.onChange((_events, revision) => void seen.push(revision));
  await cache.ready;
  for (let turn = 0; turn < 10; turn += 1) {
    client.cutOff(turn % 3 === 0);
    await write(put('/s/a', String(turn)));
    if (turn % 4 === 3) memory.compact(memory.revision());
    await clock.advanceAsync(400);
  }
  client.cutOff(false);
  await clock.advanceAsync(RELIST_EACH_MS);
  expect(seen).toEqual([...seen].sort((a, b) => (a < b ? -1 : 1)));
  expect(cache.revision).toBe(memory.revision());
});
