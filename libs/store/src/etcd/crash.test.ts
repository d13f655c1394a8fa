import { assert } from '@sallyport/model';
import { createClock } from '@sallyport/process';
import { livelyMs } from '@sallyport/process/lively';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Store } from '../port.ts';
import { createFaultProxy, describeEtcd, type FaultProxy, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';
import { committed, entryOf, put } from '../testing/harness.ts';
import { numbers, putNumbers, watchValues } from '../testing/watched.ts';
import { createEtcdStore } from './index.ts';

const quiet = { onWarning: () => undefined, onDisconnected: () => undefined };
const DEADLINE_MS = 1_000;
/** What a call may take beyond its deadline on a busy machine. */
const SLACK_MS = 700;

describeEtcd('one etcd that crashes or stands still', () => {
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
      ...quiet,
      onDisconnected: (is) => void disconnections.push(is),
    });
  const member = () => {
    const [only] = cluster.members;
    assert(only !== undefined, 'there is a member');
    return only;
  };

  beforeAll(async () => {
    cluster = await startTestCluster({ fsync: true });
    proxy = await createFaultProxy({ target: { port: member().port } });
  });
  beforeEach(async () => {
    testCount += 1;
    prefix = `/crash/${testCount}/`;
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

  test('killed and started again: what was acknowledged is there, and watches go on', async () => {
    const from = await putNumbers(writer, prefix, 1, 3);
    const seen = watchValues(store, prefix, from);
    await seen.until('3');
    await member().kill();
    expect((await store.get(`${prefix}1`)).kind).toBe('unavailable');
    expect((await store.commit({ guards: [], changes: [put(`${prefix}4`, 'lost')] })).kind).toBe('unknown');
    await expect.poll(() => disconnections).toContain(true);
    await member().start();
    await putNumbers(writer, prefix, 4, 5);
    await seen.until('5');
    expect(seen.values).toEqual(numbers(1, 5));
    expect(seen.disconnections).toEqual([true, false]);
    await expect.poll(() => entryOf(store, `${prefix}3`)).toBeDefined();
    await expect.poll(() => disconnections.at(-1)).toBe(false);
  });

  test('stopped for longer than a deadline: calls end in time, nothing is lost or told twice', async () => {
    const from = await putNumbers(writer, prefix, 1, 2);
    const seen = watchValues(store, prefix, from);
    await seen.until('2');
    member().signal('SIGSTOP');
    const outcome = timed(store.commit({ guards: [{ key: `${prefix}3`, is: 'absent' }], changes: [put(`${prefix}3`, '3')] }));
    const read = timed(store.get(`${prefix}1`));
    expect(await outcome).toMatchObject({ kind: 'unknown', late: false });
    expect(await read).toMatchObject({ kind: 'unavailable', late: false });
    member().signal('SIGCONT');
    // It may have happened after all: that is what unknown means, and the guard settles it.
    const again = () => store.commit({ guards: [{ key: `${prefix}3`, is: 'absent' }], changes: [put(`${prefix}3`, '3')] });
    await expect.poll(async () => (await again()).kind).not.toBe('unknown');
    await putNumbers(writer, prefix, 4, 5);
    await seen.until('5');
    expect(seen.values).toEqual(numbers(1, 5));
  });

  test('a member of another cluster is not talked to', async () => {
    const strange = await startTestCluster();
    const endpoints = [member().endpoint, strange.members[0]?.endpoint ?? ''];
    const both = await createEtcdStore({ ...{ endpoints, clock, deadlineMs: DEADLINE_MS }, ...quiet });
    try {
      await committed(both, [put(`${prefix}x`, 'x')]);
      const [used, unused] = (await cluster.count(prefix)) > 0 ? [cluster, strange] : [strange, cluster];
      await used.members[0]?.kill();
      expect((await both.commit({ guards: [], changes: [put(`${prefix}y`, 'y')] })).kind).toBe('unknown');
      expect((await both.get(`${prefix}x`)).kind).toBe('unavailable');
      expect(await unused.count(prefix)).toBe(0);
      await used.members[0]?.start();
      await expect.poll(() => entryOf(both, `${prefix}x`)).toBeDefined();
    } finally {
      await both.close();
      await strange.stop();
    }
  });
});

async function timed<T extends { kind: string }>(outcome: Promise<T>): Promise<{ kind: string; late: boolean }> {
  const startedAt = livelyMs();
  const { kind } = await outcome;
  return { kind, late: livelyMs() - startedAt > DEADLINE_MS + SLACK_MS };
}
