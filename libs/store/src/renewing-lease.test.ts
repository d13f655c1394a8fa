import { LONG_AGO } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { createMemoryStore, type Fault } from './memory.ts';
import { acquireRenewingLease } from './renewing-lease.ts';

const TIMES = { ttlMs: 10_000, trustMs: 8_000, renewEachMs: 2_000 };

async function world(faultAtGrant?: Fault) {
  const clock = createManualClock();
  const memory = createMemoryStore({ clock });
  const fault: { now: Fault | undefined } = { now: faultAtGrant };
  const client = memory.connect(() => fault.now);
  const acquiring = acquireRenewingLease({ store: client, clock, ...TIMES });
  await clock.advanceAsync(faultAtGrant?.afterMs ?? 0);
  const acquired = await acquiring;
  fault.now = undefined;
  if (acquired.kind !== 'leased') throw new Error(acquired.message);
  return { clock, memory, client, fault, lease: acquired.lease };
}

test('trust is counted from when the grant was asked for', async () => {
  const { clock, lease } = await world({ afterMs: 3_000 });
  expect(clock.now()).toBe(3_000);
  expect(lease.trustedUntil()).toBe(8_000);
});
test('trust is counted from when a keepalive was sent, however late its answer', async () => {
  const { clock, fault, lease } = await world();
  fault.now = { afterMs: 1_500 };
  await clock.advanceAsync(2_000);
  expect(lease.trustedUntil()).toBe(8_000);
  await clock.advanceAsync(1_500);
  expect(lease.trustedUntil()).toBe(10_000);
});
test('lives for as long as keepalives are answered', async () => {
  const { clock, lease } = await world();
  await clock.advanceAsync(60_000);
  expect(lease.trusted()).toBe(true);
  expect(lease.trustedUntil()).toBe(68_000);
});
test('trust ends by itself, before the store ends the lease', async () => {
  const { clock, client, memory, lease } = await world();
  await client.commit({ guards: [], changes: [{ kind: 'put', key: '/me', value: new Uint8Array(), lease: lease.lease }] });
  await clock.advanceAsync(4_000);
  client.cutOff(true);
  await clock.advanceAsync(7_999);
  expect(lease.trusted()).toBe(true);
  await clock.advanceAsync(1);
  expect(lease.trusted()).toBe(false);
  expect((await memory.connect().get('/me')).kind === 'read' && memory.revision()).toBe(2n);
});
test('a stalled event loop does not lengthen it: it is judged at use', async () => {
  const { clock, lease } = await world();
  clock.stall(8_000);
  expect(lease.trusted()).toBe(false);
});
test('an answer lost on the way gives no trust', async () => {
  const { clock, fault, lease } = await world();
  fault.now = { outcome: 'answer-lost' };
  await clock.advanceAsync(7_000);
  expect(lease.trustedUntil()).toBe(8_000);
});
test('trust comes back when the store does, if the lease still lives', async () => {
  const { clock, fault, lease } = await world();
  fault.now = { outcome: 'answer-lost' };
  await clock.advanceAsync(9_000);
  expect(lease.trusted()).toBe(false);
  fault.now = undefined;
  await clock.advanceAsync(1_000);
  expect(lease.trusted()).toBe(true);
});
test('a lease that the store forgot is lost, once and for good', async () => {
  const { clock, client, lease } = await world();
  let lost = false;
  void lease.lost.then(() => {
    lost = true;
  });
  client.cutOff(true);
  await clock.advanceAsync(11_000);
  expect(lost).toBe(false);
  client.cutOff(false);
  await clock.advanceAsync(1_000);
  expect(lost).toBe(true);
  expect(lease.trustedUntil()).toBe(LONG_AGO);
  await clock.advanceAsync(10_000);
  expect(lease.trusted()).toBe(false);
  expect(clock.pendingCount()).toBe(0);
});
test('late answers never shrink trust', async () => {
  const { clock, fault, lease } = await world();
  fault.now = { afterMs: 5_000 };
  await clock.advanceAsync(2_000);
  fault.now = undefined;
  await clock.advanceAsync(2_000);
  expect(lease.trustedUntil()).toBe(12_000);
  await clock.advanceAsync(1_000);
  const before = lease.trustedUntil();
  await clock.advanceAsync(2_000);
  expect(lease.trustedUntil()).toBeGreaterThanOrEqual(before);
});
test('keepalives without answer are not collected', async () => {
  const { clock, fault, lease } = await world();
  let count = 0;
  const inner = lease.lease.keepAlive.bind(lease.lease);
  Object.assign(lease.lease, {
    keepAlive: () => {
      count += 1;
      return inner();
    },
  });
  fault.now = { afterMs: 1_000_000 };
  await clock.advanceAsync(60_000);
  expect(count).toBe(4);
});
test('closing gives it back at once', async () => {
  const { client, clock, memory, lease } = await world();
  await client.commit({ guards: [], changes: [{ kind: 'put', key: '/me', value: new Uint8Array(), lease: lease.lease }] });
  await lease.close();
  expect(lease.trusted()).toBe(false);
  expect(memory.revision()).toBe(3n);
  expect(clock.pendingCount()).toBe(0);
  await lease.close();
});
test('is unavailable when the store is', async () => {
  const clock = createManualClock();
  const client = createMemoryStore({ clock }).connect(() => ({ outcome: 'unreached' }));
  expect(await acquireRenewingLease({ store: client, clock, ...TIMES })).toMatchObject({ kind: 'unavailable' });
  expect(clock.pendingCount()).toBe(0);
});
test.each([
  ['trust that outlives the lease', { trustMs: 10_000 }],
  ['trust that one lost keepalive ends', { renewEachMs: 5_000 }],
])('refuses %s', async (_title, times) => {
  const clock = createManualClock();
  const store = createMemoryStore({ clock }).connect();
  await expect(acquireRenewingLease({ store, clock, ...TIMES, ...times })).rejects.toThrow(/broken invariant/);
});
