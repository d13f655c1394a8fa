import type { StoreRevision } from '@sallyport/model';
import { beforeEach, expect, test } from 'vitest';
import type { Store, StoreEvent } from '../port.ts';
import { committed, drop, eventually, put, record, type StoreHarness } from './harness.ts';

export function watchContract(current: () => StoreHarness): void {
  let store: Store;
  let writer: Store;
  let key: (name: string) => string;
  beforeEach(() => {
    store = current().connect();
    writer = current().connect();
    key = (name) => current().prefix + name;
  });
  const next = (revision: StoreRevision): StoreRevision => (revision + 1n) as StoreRevision;
  const write = (name: string, value = '') => committed(writer, [put(key(name), value)]);
  const revisionOf = (event: StoreEvent): bigint => (event.kind === 'put' ? event.entry.modRevision : event.modRevision);

  test('tells puts and deletions in order, with the entry as it then was', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start));
    const made = await write('a', '1');
    const moved = await write('a', '2');
    const gone = await committed(writer, [drop(key('a'))]);
    await seen.until(3);
    expect(seen.story()).toEqual(['a=1', 'a=2', '-a']);
    expect(seen.events()[1]).toMatchObject({ entry: { createRevision: made, modRevision: moved } });
    expect(seen.events()[2]).toMatchObject({ modRevision: gone });
    expect(seen.batches.at(-1)?.revision).toBe(gone);
  });
  test('begins in the past, inclusively', async () => {
    await write('before');
    const from = await write('a', '1');
    await write('b', '2');
    const seen = record(current(), store, from);
    await seen.until(2);
    expect(seen.story()).toEqual(['a=1', 'b=2']);
  });
  test('begins in the future and leaves out what is before it', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(next(start)));
    await write('early');
    await write('late');
    await seen.until(1);
    expect(seen.story()).toEqual(['late=']);
  });
  test('never delivers inside the call that makes it', async () => {
    const from = await write('a');
    const seen = record(current(), store, from);
    expect(seen.events()).toEqual([]);
    await seen.until(1);
  });
  test('never splits a revision, and keeps the order of its changes', async () => {
    const first = await committed(writer, [put(key('z'), ''), put(key('a'), ''), put(key('m'), '')]);
    const seen = record(current(), store, first);
    await committed(writer, [drop(key('m')), put(key('b'), ''), drop(key('a'))]);
    await seen.until(6);
    expect(seen.story()).toEqual(['z=', 'a=', 'm=', '-m', 'b=', '-a']);
    for (const batch of seen.batches) {
      const last = batch.events.map(revisionOf).at(-1);
      expect(batch.revision).toBe(last);
      for (const other of seen.batches) {
        if (other !== batch) expect(other.events.map(revisionOf)).not.toContain(last);
      }
    }
  });
  test('keeps a transaction whole as far as it is under the prefix', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start), key('in/'));
    await committed(writer, [put(key('in/a'), ''), put(key('out/a'), ''), put(key('in/b'), '')]);
    await write('out/b');
    await write('in/c');
    await seen.until(3);
    expect(seen.story()).toEqual(['in/a=', 'in/b=', 'in/c=']);
  });
  test('leaves nothing out under many commits at once', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start));
    await Promise.all(Array.from({ length: 200 }, (_, index) => write(`many/${index}`)));
    await seen.until(200);
    const revisions = seen.events().map(revisionOf);
    expect(revisions).toEqual(Array.from({ length: 200 }, (_, index) => start + 1n + BigInt(index)));
  });
  test('tells nothing of refused commits', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start));
    await writer.commit({ guards: [{ key: key('start'), is: 'absent' }], changes: [put(key('a'), '')] });
    await write('b');
    await seen.until(1);
    expect(seen.story()).toEqual(['b=']);
  });
  test('tells nothing after it was closed', async () => {
    const start = await write('start');
    const closed = record(current(), store, next(start));
    const open = record(current(), store, next(start));
    closed.close();
    await write('a');
    await open.until(1);
    expect(closed.events()).toEqual([]);
  });
  test('tells nothing after its client was closed', async () => {
    const start = await write('start');
    const closed = record(current(), current().connect(), next(start));
    const client = current().connect();
    const ended = record(current(), client, next(start));
    await client.close();
    await write('a');
    await closed.until(1);
    expect(ended.events()).toEqual([]);
  });
  test('two watches of one client do not disturb each other', async () => {
    const start = await write('start');
    const all = record(current(), store, next(start));
    const some = record(current(), store, next(start), key('some/'));
    await write('a');
    await write('some/b');
    await all.until(2);
    await some.until(1);
    expect(some.story()).toEqual(['some/b=']);
  });

  test('goes on after two broken connections without a gap or a repetition', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start));
    await write('a');
    await seen.until(1);
    await current().breakConnections(store, async () => void (await write('b')));
    await write('c');
    await seen.until(3);
    await current().breakConnections(store, async () => void (await committed(writer, [put(key('d'), ''), drop(key('b'))])));
    await write('e');
    await seen.until(6);
    expect(seen.story()).toEqual(['a=', 'b=', 'c=', 'd=', '-b', 'e=']);
  });
  test('is lost, once, when what it needs was compacted; nothing follows', async () => {
    const from = await write('a', '1');
    await write('a', '2');
    const last = await write('a', '3');
    await current().compact(last);
    const seen = record(current(), store, from);
    await eventually(current(), () => expect(seen.lostCount()).toBe(1));
    await write('a', '4');
    const other = record(current(), store, next(last));
    await other.until(1);
    expect(seen.events()).toEqual([]);
    expect(seen.lostCount()).toBe(1);
  });
  test('is lost when it was compacted away while the connection was broken', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start));
    await current().breakConnections(store, async () => {
      await write('a', '1');
      await current().compact(await write('a', '2'));
    });
    await eventually(current(), () => expect(seen.lostCount()).toBe(1));
    expect(seen.events()).toEqual([]);
  });
  test('outlives a compaction of what it has seen', async () => {
    const start = await write('start');
    const seen = record(current(), store, next(start));
    const last = await write('a');
    await seen.until(1);
    await current().compact(last);
    await write('b');
    await seen.until(2);
    expect(seen.lostCount()).toBe(0);
  });
  test('a watcher may commit and read while it is told', async () => {
    const start = await write('start');
    const answered = Promise.withResolvers<string>();
    const watch = store.watch(current().prefix, next(start), {
      changed: () => {
        watch.close();
        void store.commit({ guards: [], changes: [put(key('answer'), '')] }).then(({ kind }) => answered.resolve(kind));
      },
      lost: () => answered.resolve('lost'),
    });
    await write('a');
    await current().pass(0);
    expect(await answered.promise).toBe('committed');
  });
}
