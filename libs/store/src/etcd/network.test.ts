import { assert } from '@sallyport/model';
import { createClock } from '@sallyport/process';
import { livelyMs } from '@sallyport/process/lively';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { followStore } from '../cache.ts';
import type { Store } from '../port.ts';
import { createFaultProxy, describeEtcd, type FaultProxy, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';
import { committed, keepEntries, put, text } from '../testing/harness.ts';
import { numbers, putNumbers, watchValues } from '../testing/watched.ts';
import { createEtcdStore } from './index.ts';

const AT_ONCE = 100;
const DEADLINE_MS = 1_000;
/** What a call may take beyond its deadline on a busy machine. */
const SLACK_MS = 700;

describeEtcd('one etcd behind a bad network', () => {
  const clock = createClock();
  let cluster: TestCluster;
  let proxy: FaultProxy;
  let writer: Store;
  let store: Store;
  let disconnections: boolean[];
  let prefix: string;
  let testCount = 0;

  const connect = (endpoint: string, deadlineMs = DEADLINE_MS) =>
    createEtcdStore({
      endpoints: [endpoint],
      clock,
      deadlineMs,
      onWarning: () => undefined,
      onDisconnected: (is) => void disconnections.push(is),
    });
  const member = () => {
    const [only] = cluster.members;
    assert(only !== undefined, 'there is a member');
    return only;
  };

  beforeAll(async () => {
    cluster = await startTestCluster();
    proxy = await createFaultProxy({ target: { port: member().port } });
  });
  beforeEach(async () => {
    testCount += 1;
    prefix = `/network/${testCount}/`;
    disconnections = [];
    // On the healthy side: patient with a busy machine.
    writer = await connect(member().endpoint, 20_000);
    store = await connect(proxy.address);
  });
  afterEach(async () => {
    proxy.blackhole(false);
    await store.close();
    await writer.close();
  });
  afterAll(async () => {
    await proxy?.close();
    await cluster?.stop();
    clock.stop();
  });

  test('a blackholed connection: every call ends within its deadline, and all is well afterwards', async () => {
    const granted = await store.lease(5_000);
    assert(granted.kind === 'leased', 'a lease is granted');
    const seen = watchValues(store, prefix, (await committed(store, [put(`${prefix}1`, '1')])) as bigint);
    await seen.until('1');
    proxy.blackhole(true);
    const kinds = await Promise.all([
      timed(store.get(prefix)),
      timed(store.list(prefix)),
      timed(store.commit({ guards: [], changes: [put(`${prefix}x`, 'x')] })),
      timed(store.lease(5_000)),
      timed(granted.lease.keepAlive().then((kind) => ({ kind }))),
      timed(granted.lease.revoke().then(() => ({ kind: 'revoke' }))),
    ]);
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'unavailable',
      'unavailable',
      'unknown',
      'unavailable',
      'unavailable',
      'revoke',
    ]);
    expect(kinds.filter(({ late }) => late)).toEqual([]);
    await expect.poll(() => seen.disconnections).toEqual([true]);
    await putNumbers(writer, prefix, 2, 3);
    proxy.blackhole(false);
    await expect.poll(async () => (await store.get(prefix)).kind).toBe('read');
    await expect.poll(() => seen.values).toContain('3');
    expect(seen.values.filter((value) => value !== 'x')).toEqual(numbers(1, 3));
  });

  test('cut again and again while it catches up, also right after the watch was opened: nothing lost, nothing twice', async () => {
    const last = 1_700;
    const from = await putMany(writer, prefix, last);
    let cutCount = 0;
    const cut = (): void => {
      cutCount += 1;
      if (cutCount <= 5) proxy.cut();
    };
    const seen = watchValues(store, prefix, from, { onChanged: cut, onConnected: cut });
    await expect.poll(() => seen.values.length).toBeGreaterThanOrEqual(last);
    const listed = await writer.list(prefix);
    assert(listed.kind === 'read', 'the list is read');
    const written = [...listed.value].sort((a, b) => Number(a.modRevision - b.modRevision));
    expect(seen.values).toEqual(written.map(({ value }) => text(value)));
    expect(cutCount).toBeGreaterThan(2);
    expect(seen.lostCount()).toBe(0);
  });

  test('a cache that fell behind through two cuts and a compaction ends as a fresh list', async () => {
    const relists: string[] = [];
    await putNumbers(writer, prefix, 1, 20);
    const cache = followStore({ store, prefix, clock, holes: 'allowed', onRelist: (why) => void relists.push(why) });
    const entries = keepEntries(cache);
    await cache.ready;
    await proxy.refuse(true);
    proxy.cut();
    await committed(writer, [put(`${prefix}1`, 'changed'), { kind: 'delete', key: `${prefix}2` }]);
    await proxy.refuse(false);
    await expect.poll(() => entries.get(`${prefix}2`)).toBeUndefined();
    await proxy.refuse(true);
    proxy.cut();
    await committed(writer, [{ kind: 'delete', key: `${prefix}3` }, put(`${prefix}4`, 'changed')]);
    const compacted = await committed(writer, [{ kind: 'delete', key: `${prefix}5` }]);
    // The very revision of a deletion: old servers would leave it out.
    await cluster.compact(compacted);
    await proxy.refuse(false);
    await expect.poll(() => relists).toEqual(['compacted']);
    const fresh = await writer.list(prefix);
    assert(fresh.kind === 'read', 'the list is read');
    await expect.poll(() => [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(fresh.value);
    expect(cache.complete).toBe(true);
    cache.close();
  });

  test('a watch from exactly the compacted revision is lost, not short of a deletion', async () => {
    await putNumbers(writer, prefix, 1, 2);
    const gone = await committed(writer, [{ kind: 'delete', key: `${prefix}1` }]);
    await cluster.compact(gone);
    const seen = watchValues(store, prefix, gone);
    await expect.poll(() => seen.lostCount()).toBe(1);
    expect(seen.values).toEqual([]);
  });

  test('lists in pages, all as of one revision', async () => {
    await putMany(writer, prefix, 1_200);
    const reading = store.list(prefix);
    const meanwhile = committed(writer, [{ kind: 'delete', key: `${prefix}1200` }]);
    const listed = await reading;
    await meanwhile;
    assert(listed.kind === 'read', 'the list is read');
    expect(new Set(listed.value.map(({ key }) => key)).size).toBe(listed.value.length);
    expect(listed.value.every(({ modRevision }) => modRevision <= listed.revision)).toBe(true);
    expect(listed.value.length).toBe(listed.revision >= (await meanwhile) ? 1_199 : 1_200);
  });
});

async function timed<T extends { kind: string }>(outcome: Promise<T>): Promise<{ kind: string; late: boolean }> {
  const startedAt = livelyMs();
  const { kind } = await outcome;
  return { kind, late: livelyMs() - startedAt > DEADLINE_MS + SLACK_MS };
}

/** Each at a revision of its own; returns the first of these. */
async function putMany(store: Store, prefix: string, count: number): Promise<bigint> {
  const revisions: bigint[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    const batch = numbers(done + 1, Math.min(done + AT_ONCE, count));
    revisions.push(...(await Promise.all(batch.map((number) => committed(store, [put(`${prefix}${number}`, number)])))));
  }
  const [least] = revisions.sort((a, b) => Number(a - b));
  assert(least !== undefined, 'there is a first');
  return least;
}
