import { snapshotOf } from '@sallyport/catalog';
import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { createMemoryStore } from '@sallyport/store';
import { expect, test } from 'vitest';
import { followCatalog } from './catalog-view.ts';
import { createPublisher } from './testing/publication.ts';

function world() {
  const clock = createManualClock();
  const memory = createMemoryStore({ clock });
  const gateway = createPublisher(memory.connect());
  let id = 0;
  const randomId = (): string => `id${id++}`;
  const client = memory.connect();
  const view = followCatalog({ store: client, clock, log: createLog({ level: 'silent' }), randomId });
  const shown = (): string[] => snapshotOf(view.world, view.evidence, clock.now(), () => true).map(({ sandbox }) => sandbox);
  return { clock, memory, gateway, view, client, shown };
}

test('an empty store is a complete view once this replica has heard itself', async () => {
  const { clock, view, shown } = world();
  expect(view.notReady()).toMatch(/not been read yet/);
  await clock.advanceAsync(0);
  expect([view.notReady(), shown()]).toEqual([undefined, []]);
});

test('what is published is shown until its evidence runs out, and longer when it is renewed', async () => {
  const { clock, memory, gateway, shown } = world();
  await clock.advanceAsync(0);
  await gateway.generation();
  await gateway.publish('team', 'demo', memory.revision());
  await clock.advanceAsync(0);
  expect(shown()).toEqual(['demo']);
  await clock.advanceAsync(12_900);
  expect(shown()).toEqual(['demo']);
  await clock.advanceAsync(100);
  expect(shown()).toEqual([]);
  await gateway.renew(['demo'], memory.revision());
  await clock.advanceAsync(0);
  expect(shown()).toEqual(['demo']);
});

test('a gateway that is cut off cannot renew: its asOf stands still', async () => {
  const { clock, memory, gateway, shown } = world();
  await clock.advanceAsync(0);
  await gateway.generation();
  const asOf = memory.revision();
  await gateway.publish('team', 'demo', asOf);
  for (let second = 0; second < 13; second += 1) {
    await clock.advanceAsync(1_000);
    await gateway.renew(['demo'], asOf);
  }
  await clock.advanceAsync(0);
  expect(shown()).toEqual([]);
});

test('a withdrawn owner is gone at once, whatever was renewed', async () => {
  const { clock, memory, gateway, shown } = world();
  await clock.advanceAsync(0);
  await gateway.generation();
  await gateway.publish('team', 'demo', memory.revision());
  await gateway.owner('demo', { kind: 'released', epoch: 6n });
  await gateway.renew(['demo'], memory.revision());
  await clock.advanceAsync(0);
  expect(shown()).toEqual([]);
});

test('a replica that begins shows nothing before it has heard of what was there, and says so', async () => {
  const { clock, memory, gateway } = world();
  await clock.advanceAsync(0);
  await gateway.generation();
  await gateway.publish('team', 'demo', memory.revision());
  await gateway.renew(['demo'], memory.revision());
  const late = followCatalog({ store: memory.connect(), clock, log: createLog({ level: 'silent' }), randomId: () => 'late' });
  await clock.advanceAsync(1_000);
  expect(late.notReady()).toMatch(/not every gateway/);
  await gateway.renew(['demo'], memory.revision());
  await clock.advanceAsync(0);
  expect(late.notReady()).toBeUndefined();
  expect(snapshotOf(late.world, late.evidence, clock.now(), () => true)).toHaveLength(1);
});

test('it does not wait for ever for a gateway that is gone', async () => {
  const { clock, memory, gateway } = world();
  await clock.advanceAsync(0);
  await gateway.generation();
  await gateway.publish('team', 'demo', memory.revision());
  const late = followCatalog({ store: memory.connect(), clock, log: createLog({ level: 'silent' }), randomId: () => 'late' });
  await clock.advanceAsync(9_000);
  expect(late.notReady()).toMatch(/not every gateway/);
  await clock.advanceAsync(1_000);
  expect(late.notReady()).toBeUndefined();
});

test('a replica that is cut off from the store shows its records no longer than they count', async () => {
  const { clock, memory, gateway, client, shown, view } = world();
  await clock.advanceAsync(0);
  await gateway.generation();
  await gateway.publish('team', 'demo', memory.revision());
  await clock.advanceAsync(0);
  client.cutOff(true);
  for (let second = 0; second < 13; second += 1) {
    await gateway.renew(['demo'], memory.revision());
    await clock.advanceAsync(1_000);
  }
  expect([shown(), view.connected()]).toEqual([[], false]);
  client.cutOff(false);
  await clock.advanceAsync(2_000);
  await gateway.renew(['demo'], memory.revision());
  await clock.advanceAsync(0);
  expect([shown(), view.connected()]).toEqual([['demo'], true]);
});
