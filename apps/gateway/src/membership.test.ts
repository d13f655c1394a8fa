import { GATEWAY_TRUST_MS } from '@sallyport/authority';
import type { StoreRevision } from '@sallyport/model';
import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import type { Store, Transaction } from '@sallyport/store';
import { describe, expect, test } from 'vitest';
import { joinGateways } from './membership.ts';

type Kept = Awaited<ReturnType<Extract<Awaited<ReturnType<Store['lease']>>, { kind: 'leased' }>['lease']['keepAlive']>>;

/** A store that answers when, and as, the test says. */
function open() {
  const clock = createManualClock(100_000);
  const commits: Transaction[] = [];
  const store = {
    leaseTakesMs: 0,
    keepTakesMs: 0,
    keeps: 'kept' as Kept,
    revision: 7n,
    revoked: 0,
    commits,
  };
  const takes = async (ms: number): Promise<void> => {
    if (ms > 0) await new Promise<void>((resolve) => clock.at((clock.now() + ms) as never, resolve));
  };
  const lease = {
    keepAlive: async (): Promise<Kept> => {
      await takes(store.keepTakesMs);
      return store.keeps;
    },
    revoke: async () => {
      store.revoked += 1;
    },
  };
  const port = {
    lease: async () => {
      await takes(store.leaseTakesMs);
      return { kind: 'leased', lease };
    },
    commit: async (transaction: Transaction) => {
      commits.push(transaction);
      store.revision += 1n;
      return { kind: 'committed', revision: store.revision as StoreRevision };
    },
  } as unknown as Store;
  let ids = 0;
  const join = async () => {
    const joining = joinGateways({
      ...{ store: port, clock, version: 'test', address: () => 'test', log: createLog({ level: 'silent' }) },
      randomId: () => {
        ids += 1;
        return `id-${ids}`;
      },
    });
    await clock.advanceAsync(store.leaseTakesMs);
    return joining;
  };
  return { clock, store, join };
}

describe('a gateway trusts its key', () => {
  test('from the request for its lease, not from the answer', async () => {
    const { clock, store, join } = open();
    store.leaseTakesMs = 3_000;
    const membership = await join();
    store.keeps = 'unavailable';
    await clock.advanceAsync(GATEWAY_TRUST_MS - 3_000 - 1);
    expect(membership.current()?.gatewayId).toBe('id-1');
    await clock.advanceAsync(1);
    expect([membership.current(), membership.guard()]).toEqual([undefined, undefined]);
  });

  test('from the sending of a keepalive, not from its answer', async () => {
    const { clock, store, join } = open();
    const membership = await join();
    store.keepTakesMs = 2_000;
    // It is sent after 2.5 s and answered after 4.5 s; nothing that follows is answered.
    await clock.advanceAsync(4_500);
    store.keepTakesMs = 60_000;
    await clock.advanceAsync(2_500 + GATEWAY_TRUST_MS - 4_500 - 1);
    expect(membership.current()?.gatewayId).toBe('id-1');
    await clock.advanceAsync(1);
    expect(membership.current()).toBeUndefined();
  });

  test('by its epoch: the revision that created it', async () => {
    const { join } = open();
    const membership = await join();
    expect(membership.guard()).toEqual({ key: '/sallyport/v1/gateway/id-1', is: 'created-at', revision: 8n });
  });
});

describe('a gateway enters', () => {
  test('under a new id each time, and where nobody is (T12)', async () => {
    const { clock, store, join } = open();
    const membership = await join();
    const [first] = store.commits;
    store.keeps = 'lost';
    await clock.advanceAsync(2_500);
    store.keeps = 'kept';
    await clock.advanceAsync(1_500);
    const [, second] = store.commits;
    expect(membership.current()?.epoch).toBe(9n);
    expect([first?.guards, second?.guards].flat()).toEqual([
      { key: first?.changes[0]?.key, is: 'absent' },
      { key: second?.changes[0]?.key, is: 'absent' },
    ]);
    expect(second?.changes[0]?.key).not.toBe(first?.changes[0]?.key);
  });

  test('again at once when a write found its key gone; the late answer of an earlier life says nothing', async () => {
    const { clock, store, join } = open();
    const membership = await join();
    membership.doubt('/sallyport/v1/gateway/somebody');
    expect(membership.current()?.gatewayId).toBe('id-1');
    membership.doubt('/sallyport/v1/gateway/id-1');
    expect(membership.current()).toBeUndefined();
    await clock.advanceAsync(1);
    expect([membership.current()?.epoch, store.commits.length]).toEqual([9n, 2]);
  });
});
