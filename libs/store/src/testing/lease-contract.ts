import type { StoreRevision } from '@sallyport/model';
import { beforeEach, expect, test } from 'vitest';
import type { Store, StoreLease } from '../port.ts';
import { bytes, committed, entryOf, eventually, put, record, type StoreHarness } from './harness.ts';

/** Of leases that run out in a test, where the store does not say. */
const SHORT_MS = 3_000;
/** Of all others: however busy the machine, it does not run out by itself. */
const LONG_MS = 60_000;

export function leaseContract(current: () => StoreHarness): void {
  let store: Store;
  let key: (name: string) => string;
  beforeEach(() => {
    store = current().connect();
    key = (name) => current().prefix + name;
  });
  const granted = async (ttlMs = LONG_MS): Promise<StoreLease> => {
    const outcome = await store.lease(ttlMs);
    if (outcome.kind !== 'leased') throw new Error(outcome.message);
    return outcome.lease;
  };
  const short = () => granted(current().leaseMs ?? SHORT_MS);
  const putOn = (lease: StoreLease, ...names: string[]) =>
    committed(
      store,
      names.map((name) => ({ kind: 'put', key: key(name), value: bytes(''), lease })),
    );
  const next = (revision: StoreRevision): StoreRevision => (revision + 1n) as StoreRevision;

  test('is granted for at least what was asked, each under its own id', async () => {
    const [one, other] = [await granted(), await granted()];
    expect(one.ttlMs).toBeGreaterThanOrEqual(LONG_MS);
    expect(one.id).not.toBe(other.id);
  });
  test('takes its keys with it when it runs out, all in one revision, as deletions that watches are told', async () => {
    const lease = await short();
    const at = await putOn(lease, 'b', 'a');
    await committed(store, [put(key('stays'), '')]);
    const seen = record(current(), store, next(at));
    await current().pass(lease.ttlMs);
    await seen.until(3);
    expect(seen.story()).toEqual(['stays=', '-a', '-b']);
    expect(seen.batches.at(-1)?.events).toHaveLength(2);
    expect(await entryOf(store, key('a'))).toBeUndefined();
    expect(await entryOf(store, key('stays'))).toBeDefined();
  });
  test('does not run out before its time', async () => expect(await livesFor(1)).toBe(true));
  test('lives on while it is kept alive', async () => expect(await livesFor(4)).toBe(true));
  test('is lost once it ran out: no keepalive brings it back', async () => {
    const lease = await short();
    await putOn(lease, 'a');
    await current().pass(lease.ttlMs);
    await eventuallyGone('a');
    expect(await lease.keepAlive()).toBe('lost');
    expect(await entryOf(store, key('a'))).toBeUndefined();
  });
  test('takes its keys with it when it is revoked', async () => {
    const lease = await granted();
    const at = await putOn(lease, 'a');
    const seen = record(current(), store, next(at));
    await lease.revoke();
    await seen.until(1);
    expect(seen.story()).toEqual(['-a']);
    expect(await lease.keepAlive()).toBe('lost');
  });
  test('may be revoked again', async () => {
    const lease = await granted();
    await lease.revoke();
    await lease.revoke();
  });
  test('that is gone refuses a put, with no guard to blame, and changes nothing', async () => {
    const lease = await granted();
    await lease.revoke();
    const outcome = await store.commit({
      guards: [{ key: key('a'), is: 'absent' }],
      changes: [put(key('b'), ''), { kind: 'put', key: key('a'), value: bytes(''), lease }],
    });
    expect(outcome).toMatchObject({ kind: 'refused', failed: [] });
    expect(await entryOf(store, key('b'))).toBeUndefined();
  });
  test('lets go of a key that is put again without it', async () => {
    const lease = await granted();
    await putOn(lease, 'a', 'b');
    await committed(store, [put(key('a'), 'free')]);
    await lease.revoke();
    await eventuallyGone('b');
    expect(await entryOf(store, key('a'))).toBeDefined();
  });
  test('lets go of a key that moves to another lease', async () => {
    const [one, other] = [await granted(), await granted()];
    await putOn(one, 'a');
    await putOn(other, 'a');
    await one.revoke();
    expect(await entryOf(store, key('a'))).toBeDefined();
    await other.revoke();
    await eventuallyGone('a');
  });
  test('does not take a key that was deleted and made again', async () => {
    const lease = await granted();
    await putOn(lease, 'a');
    await committed(store, [{ kind: 'delete', key: key('a') }]);
    await committed(store, [put(key('a'), 'new')]);
    await lease.revoke();
    expect(await entryOf(store, key('a'))).toBeDefined();
  });
  test('runs out by itself when its client was closed', async () => {
    const lease = await short();
    await putOn(lease, 'a');
    await store.close();
    store = current().connect();
    await current().pass(lease.ttlMs);
    await eventuallyGone('a');
  });
  test('guards tell one life of a key from the next', async () => {
    const lease = await granted();
    const epoch = await putOn(lease, 'member');
    const asMember = { key: key('member'), is: 'created-at', revision: epoch } as const;
    await committed(store, [put(key('a'), '1')], [asMember]);
    await lease.revoke();
    await eventuallyGone('member');
    await committed(store, [put(key('member'), '')]);
    const outcome = await store.commit({ guards: [asMember], changes: [put(key('a'), '2')] });
    expect(outcome).toMatchObject({ kind: 'refused', failed: [0] });
  });

  /**
   * Whether a key is there after each of so many halves of its lease's time, kept alive between them. A machine that stood still
   * for so long that the lease had to run out has shown nothing, and is asked again.
   */
  async function livesFor(halves: number): Promise<boolean> {
    for (;;) {
      let renewedAt = performance.now();
      const lease = await short();
      await putOn(lease, 'a');
      let lives = true;
      for (let half = 1; lives && half <= halves; half += 1) {
        const askedAt = performance.now();
        if (half > 1) lives = (await lease.keepAlive()) === 'kept';
        if (half > 1 && lives) renewedAt = askedAt;
        await current().pass(lease.ttlMs / 2);
        lives &&= (await entryOf(store, key('a'))) !== undefined;
      }
      if (lives || performance.now() - renewedAt < lease.ttlMs) return lives;
    }
  }

  async function eventuallyGone(name: string): Promise<void> {
    let entry = await entryOf(store, key(name));
    await eventually(current(), () => {
      const seen = entry;
      void entryOf(store, key(name)).then(
        (now) => {
          entry = now;
        },
        // The last read may still be under way when the test is over and its client closed.
        () => undefined,
      );
      expect(seen).toBeUndefined();
    });
  }
}
