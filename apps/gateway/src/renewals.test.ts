import { CHALLENGE_EVERY_MS, FRESHNESS_MS } from '@sallyport/authority';
import { createScene, gateway, type Scene } from '@sallyport/authority/testing';
import type { GatewayEpoch, StoreRevision } from '@sallyport/model';
import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import type { Membership } from './membership.ts';
import { challengesDue, startRenewals } from './renewals.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import { compared } from './testing/recorded-writes.ts';
import type { Writing, Written } from './writer.ts';

/** A gateway without sessions; each vector is committed after so long, and seen to come back at the same moment. */
function open() {
  const scene = createScene();
  const clock = createManualClock(1_000_000);
  const here = { commitMs: 300, echoMs: 0, gatewayId: 'g0', outcome: 'committed' as 'committed' | 'refused' };
  const sent: { readonly at: number; readonly writing: Writing }[] = [];
  const wait = (ms: number): Promise<void> =>
    ms === 0 ? Promise.resolve() : new Promise((resolve) => clock.at((clock.now() + ms) as never, resolve));
  const sessions = {
    all: (): Iterable<LiveSession> => [],
    count: () => 0,
    changeCount: () => 0,
  } as Partial<Sessions> as Sessions;
  const renewals = startRenewals({
    world: scene.world,
    reached: () => wait(here.echoMs),
    writer: {
      async write(writing): Promise<Written> {
        sent.push({ at: clock.now() - 1_000_000, writing });
        await wait(here.commitMs);
        const revision = 100n as StoreRevision;
        if (here.outcome === 'refused') return { kind: 'refused', revision, failed: [] };
        keep(scene, here.gatewayId);
        return { kind: 'committed', revision };
      },
    },
    membership: {
      current: () => ({ gatewayId: gateway(here.gatewayId), epoch: 1n as GatewayEpoch }),
    } as Partial<Membership> as Membership,
    sessions,
    clock,
    log: createLog({ level: 'silent' }),
  });
  return { scene, clock, here, sent, renewals };
}

function keep({ world }: Scene, by: string): void {
  const revision = (world.revision + 1n) as StoreRevision;
  const key = { kind: 'renewal', gatewayId: gateway(by), bucket: 0 } as const;
  const value = { gatewayEpoch: 1n as GatewayEpoch, asOf: revision, renewals: [] };
  world.apply([{ key, held: { value, createRevision: revision, modRevision: revision } }], revision);
}

test('the age of the view counts from the sending of the vector that came back', async () => {
  const { clock, here, renewals } = open();
  here.echoMs = 200;
  expect(renewals.ageMs()).toBeUndefined();
  await clock.advanceAsync(499);
  expect(renewals.ageMs()).toBeUndefined();
  await clock.advanceAsync(1);
  expect(renewals.ageMs()).toBe(500);
});

test('a view that has not moved for as long as freshness has no age', async () => {
  const { clock, here, renewals } = open();
  await clock.advanceAsync(300);
  here.outcome = 'refused';
  await clock.advanceAsync(FRESHNESS_MS - 301);
  expect(renewals.ageMs()).toBe(FRESHNESS_MS - 1);
  await clock.advanceAsync(1);
  expect(renewals.ageMs()).toBeUndefined();
});

test('what an earlier life has seen come back is no age of this one', async () => {
  const { clock, here, renewals } = open();
  await clock.advanceAsync(300);
  here.gatewayId = 'g1';
  expect(renewals.ageMs()).toBeUndefined();
  await clock.advanceAsync(CHALLENGE_EVERY_MS);
  expect(renewals.ageMs()).toBe(300);
});

test('each vector compares the one before: one of unknown outcome cannot follow it (T11)', async () => {
  const { scene, clock, sent } = open();
  await clock.advanceAsync(300);
  const revision = scene.world.renewals(gateway('g0')).get(0)?.modRevision;
  await clock.advanceAsync(CHALLENGE_EVERY_MS);
  expect(sent.map(({ writing }) => compared(writing))).toEqual([
    ['renewal/g0/0 absent'],
    [`renewal/g0/0 unmoved-since ${revision}`],
  ]);
});

test('a vector that failed is tried again each second, until the next makes it moot', async () => {
  const { clock, here, sent } = open();
  here.commitMs = 0;
  here.outcome = 'refused';
  await clock.advanceAsync(2 * CHALLENGE_EVERY_MS - 1);
  // The first was answered after 300 ms.
  expect(sent.map(({ at }) => at)).toEqual([0, 1_300, 2_300, 3_300, 4_300, 5_000, 6_000, 7_000, 8_000, 9_000]);
});

test.each([
  ['at once', 0, 100],
  ['before it is due', -5, 100],
  ['within the first interval', 19.9, 100],
  ['with the second', 20, 200],
  ['after a turn that took three intervals', 60, 400],
  ['by when those of a thousand are out', 180, 1_000],
])('challenges go out by the clock, not by turns: %s', (_title, sinceMs, count) => {
  expect(challengesDue(sinceMs)).toBe(count);
});
