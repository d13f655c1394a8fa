import { expect, test } from 'vitest';
import { milliseconds } from '../authority/rig/figures.ts';
import { longestGapMs } from '../authority/rig/prober.ts';
import { sleep } from '../authority/rig/until.ts';
import { describeCluster, onInstallation } from './cluster/cases.ts';
import type { Installation } from './cluster/installation.ts';
import type { RunningPod } from './cluster/plan.ts';
import { answersAfterTakeover, startProber } from './cluster/probes.ts';
import {
  BOX,
  checkOutage,
  checkQuietSession,
  checkTraffic,
  checkWithdrawal,
  expectSameProcess,
  HOST,
  openSeed,
  type Seed,
} from './cluster/seed.ts';
import { pastTheGrace, strayPlaces, untilPublished, untilServed } from './cluster/served.ts';

/** Of one second, for a takeover that was asked for. */
const GRACEFUL_GAP_MS = 1_000;
const ABRUPT_GAP_MS = 5_000;
const DEDICATED = { code: 'not_fresh', withinMs: 30_000 };
const SHARED = { code: 'lease_expired', withinMs: 15_000 };

const seedCase = (name: string, body: (installation: Installation) => Promise<void>): void =>
  test(name, () => onInstallation(name.replaceAll(' ', '-'), 'network', body), 300_000);

/** Gateways, etcd, driver, discovery, supervisors, boundary, application and clients, each in a Pod with an address of its own. */
describeCluster('network', 'seed cases', () => {
  for (const delivery of ['push', 'poll'] as const)
    seedCase(`dedicated ${delivery}`, async (installation) => {
      const seed = await openSeed(installation, 'dedicated', () =>
        installation.supervise('own', { supervises: `team/${BOX}`, delivery }),
      );
      await checkTraffic(seed, seed.owner);
      await checkQuietSession(seed, seed.owner);
      await checkWithdrawal(seed, seed.owner);
      await checkOutage(seed, seed.owner, `dedicated ${delivery}`, DEDICATED);
      await checkListenerOff(seed);
    });

  seedCase('shared graceful takeover', async (installation) => {
    const seed = await openSeed(installation, 'shared', () => installation.supervise('first'));
    await checkTraffic(seed, seed.owner);
    await checkWithdrawal(seed, seed.owner);
    const gapMs = await takeOver(seed, 'shared graceful takeover', (owner) => installation.cluster.end(owner));
    expect(gapMs).toBeLessThan(GRACEFUL_GAP_MS);
    await checkOutage(seed, await nextOwner(installation), 'shared graceful takeover', SHARED);
  });

  seedCase('shared abrupt takeover', async (installation) => {
    const seed = await openSeed(installation, 'shared', () => installation.supervise('first'));
    await checkTraffic(seed, seed.owner);
    const gapMs = await takeOver(seed, 'shared abrupt takeover', (owner) => installation.cluster.end(owner, { force: true }));
    expect(gapMs).toBeLessThan(ABRUPT_GAP_MS);
    await checkOutage(seed, await nextOwner(installation), 'shared abrupt takeover', SHARED);
  });
});

let next: RunningPod | undefined;
const nextOwner = async (installation: Installation): Promise<RunningPod> => {
  if (next === undefined) throw new Error('nobody took over');
  await untilPublished(installation, HOST, next);
  return next;
};

/** The owner goes while it is asked each 50 ms; another one is there. How long nobody answered; milliseconds. */
async function takeOver(
  seed: Seed & { readonly owner: RunningPod },
  name: string,
  go: (owner: RunningPod) => Promise<void>,
): Promise<number> {
  const { installation, client, owner } = seed;
  const successor = await installation.supervise('second');
  await pastTheGrace(installation);
  const tunnel = await client.tunnel(owner, HOST);
  const prober = startProber(client, HOST, [owner, successor]);
  await sleep(1_000);
  const from = performance.now() - 500;
  const going = go(owner);
  await untilServed(client, successor, HOST, 60_000);
  await untilPublished(installation, HOST, successor);
  await going;
  await sleep(2_000);
  const to = performance.now() - 500;
  await prober.stop();
  const gapMs = longestGapMs(prober.probes, from, to);
  milliseconds(name, 'longest time without an answer', gapMs);
  expect(answersAfterTakeover(prober.probes, owner.name, successor.name)).toBe(0);
  expect(new Set(prober.probes.flatMap(({ memory }) => (memory === '' ? [] : [memory])))).toEqual(
    new Set([seed.identity.memory]),
  );
  expect(tunnel.closedAt()).toBeDefined();
  expect(strayPlaces(installation.publication.sights, HOST)).toEqual([]);
  await expectSameProcess(seed, successor);
  next = successor;
  return gapMs;
}

/** A supervisor without a listener is as good a supervisor, and nothing of it is published. */
async function checkListenerOff({ installation, owner }: Seed & { readonly owner: RunningPod }): Promise<void> {
  const { cluster, publication } = installation;
  await cluster.end(owner);
  const silent = await installation.supervise('silent', { supervises: `team/${BOX}`, listens: false });
  const before = publication.sights.length;
  await sleep(7_000);
  expect(publication.sights.slice(before).filter(({ shown }) => shown?.podUid === silent.uid)).toEqual([]);
  expect(await publication.resolve(HOST)).toBeUndefined();
}
