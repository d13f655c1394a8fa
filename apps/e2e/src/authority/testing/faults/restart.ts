import { expect } from 'vitest';
import type { AppProcess } from '../../rig/app-process.ts';
import type { Scene } from '../../rig/case.ts';
import { milliseconds } from '../../rig/figures.ts';
import { longestGapMs, overlaps, type Probe, refusals } from '../../rig/prober.ts';
import { startAgain } from '../../rig/start-again.ts';
import { sleep, until } from '../../rig/until.ts';
import { sessionsOf, UNINTERRUPTED_MS } from './gateways.ts';

/** Of sandboxes whose owner is gone, once the faults have stopped. */
const OTHERS_BACK_MS = 60_000;

/** Gateways, driver and discovery, one after the other, in good order: serving goes on. */
export async function rollingRestart({ installation, probes }: Scene): Promise<void> {
  const at = performance.now();
  for (const each of [...installation.gateways, installation.driver, installation.discovery]) {
    await each.end();
    await startAgain(each);
    await sleep(2_000);
  }
  const held = async (): Promise<boolean> =>
    (await Promise.all(installation.gateways.map(sessionsOf))).some((count) => count > 0);
  await until('a gateway holds the session', held, 10_000);
  // Past the grace in which nobody is suspected: a takeover that was wrong would come now.
  await sleep(24_000);
  const gap = longestGapMs(probes, at, performance.now() - 2_100);
  milliseconds('rolling restart', 'longest time without a good answer', gap, `< ${UNINTERRUPTED_MS}`);
  expect(refusals(probes, at, performance.now())).toEqual({});
  expect(gap).toBeLessThan(UNINTERRUPTED_MS);
}

/** Everything dies at once, etcd too, and everything is started again: the records are enough to go on from. */
export async function everythingRestarted({ installation, probes, sights }: Scene): Promise<void> {
  const { etcd, gateways, driver, discovery, supervisors } = installation;
  const all: readonly AppProcess[] = [...gateways, driver, discovery, ...supervisors];
  await Promise.all([...all.map((each) => each.kill()), ...etcd.members.map((member) => member.kill())]);
  await Promise.all(etcd.members.map(startAgain));
  await Promise.all(all.map(startAgain));
  const at = performance.now();
  const back = await until('served again', () => goodAfter(probes, at), OTHERS_BACK_MS);
  milliseconds('everything restarted', 'served again after', back, `< ${OTHERS_BACK_MS}: the old owner is waited out`);
  const shown = await until('shown again', () => sights.at(-1)?.shown !== undefined, 10_000);
  milliseconds('everything restarted', 'shown again after', back + shown, `< ${OTHERS_BACK_MS}`);
}

/** One of two supervisors dies: the other takes over, and never do both answer. */
export async function supervisorKilled({ installation, probes, sights }: Scene): Promise<void> {
  // Nobody is suspected within 20 s of a gateway's start: past that the figure is what it is on any day.
  await sleep(22_000);
  const port = probes.findLast(({ outcome }) => outcome === 'ok')?.port;
  const owner = installation.supervisors.find((each) => each.address('app').port === port);
  const at = performance.now();
  await owner?.kill();
  const back = await until('the other supervisor serves', () => goodAfter(probes, at), 40_000);
  milliseconds('supervisor killed', 'the other serves after', back, '2 s of suspicion, 17 s of waiting, no boundary');
  const shown = await until('shown again', () => sights.at(-1)?.shown?.endpoint.endsWith(`:${port}`) === false, 10_000);
  milliseconds('supervisor killed', 'shown at the other after', back + shown);
  if (owner !== undefined) await startAgain(owner);
  await sleep(4_000);
  expect(overlaps(probes)).toEqual([]);
  expect(back).toBeGreaterThan(15_000);
}

const goodAfter = (probes: readonly Probe[], at: number): boolean => {
  const last = probes.findLast(({ outcome, sentAt }) => outcome === 'ok' && sentAt > at);
  return last !== undefined;
};
