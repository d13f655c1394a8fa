import { assert } from '@sallyport/model';
import { createClock } from '@sallyport/process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Store } from '../port.ts';
import { describeEtcd, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';
import { entryOf } from '../testing/harness.ts';
import { numbers, settle, watchValues } from '../testing/watched.ts';
import { createEtcdStore } from './index.ts';

/** An election, a call that ran into its deadline, and a busy machine. */
const RECOVERY_MS = 30_000;

describeEtcd('three members with faults', () => {
  const clock = createClock();
  let cluster: TestCluster;
  let stores: Store[];
  let disconnections: boolean[];
  let prefix: string;
  let testCount = 0;

  beforeAll(async () => {
    cluster = await startTestCluster({ memberCount: 3, fsync: true });
  });
  beforeEach(async () => {
    testCount += 1;
    prefix = `/cluster/${testCount}/`;
    disconnections = [];
    // Several, so that each begins with a member of its own.
    stores = await Promise.all(Array.from({ length: 4 }, connect));
  });
  afterEach(async () => void (await Promise.all(stores.map((store) => store.close()))));
  afterAll(async () => {
    await cluster?.stop();
    clock.stop();
  });

  const connect = () =>
    createEtcdStore({
      endpoints: cluster.endpoints,
      clock,
      deadlineMs: 1_000,
      onWarning: () => undefined,
      onDisconnected: (is) => void disconnections.push(is),
    });
  const first = (): Store => stores[0] as Store;
  const watchAll = () => stores.map((store) => watchValues(store, prefix, 1n));
  /** Each store puts one; returns when all are settled. */
  const writeAll = (from: number) =>
    Promise.all(stores.map((store, index) => settle(store, `${prefix}${from + index}`, String(from + index), RECOVERY_MS)));
  const sorted = (values: readonly string[]) => [...values].sort((a, b) => Number(a) - Number(b));
  const expectAll = async (seen: ReturnType<typeof watchAll>, last: number) => {
    await expect.poll(() => seen.map(({ values }) => sorted(values))).toEqual(stores.map(() => numbers(1, last)));
    // One order for all, and nobody was lost.
    expect(new Set(seen.map(({ values }) => values.join())).size).toBe(1);
    expect(seen.map(({ lostCount }) => lostCount())).toEqual(stores.map(() => 0));
  };

  test.each([
    ['killed', 'SIGKILL'],
    ['stopped', 'SIGSTOP'],
  ] as const)(
    'the leader is %s: everyone goes on with another, and no watch has a gap',
    async (_title, signal) => {
      const seen = watchAll();
      await writeAll(1);
      const leader = await cluster.leader();
      leader.signal(signal);
      await writeAll(5);
      if (signal === 'SIGKILL') await leader.start();
      else leader.signal('SIGCONT');
      await writeAll(9);
      await expectAll(seen, 12);
    },
    30_000,
  );

  test('the quorum is lost: calls end in time without a verdict; when it is back everything goes on by itself', async () => {
    const seen = watchAll();
    await writeAll(1);
    const [kept, ...others] = cluster.members;
    assert(kept !== undefined, 'there is a member');
    await Promise.all(others.map((member) => member.kill()));
    const outcome = await first().commit({ guards: [], changes: [] });
    expect(['unknown', 'committed']).toContain(outcome.kind);
    expect((await first().commit({ guards: [], changes: [{ kind: 'delete', key: `${prefix}none` }] })).kind).toBe('unknown');
    expect((await first().get(prefix)).kind).toBe('unavailable');
    expect((await first().lease(5_000)).kind).toBe('unavailable');
    // The member that is left has no leader and ends what streams it holds.
    await expect.poll(() => seen.map((each) => each.disconnections.at(-1))).toEqual([true, true, true, true]);
    await expect.poll(() => disconnections.at(-1)).toBe(true);
    await Promise.all(others.map((member) => member.start()));
    await writeAll(5);
    await expectAll(seen, 8);
    await expect.poll(() => disconnections.at(-1)).toBe(false);
    await expect.poll(() => entryOf(first(), `${prefix}1`)).toBeDefined();
  });
});
