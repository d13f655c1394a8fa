import { expect } from 'vitest';
import type { Scene } from '../../rig/case.ts';
import { milliseconds, record } from '../../rig/figures.ts';
import { isReady } from '../../rig/installation.ts';
import { longestGapMs, type Probe, refusals } from '../../rig/prober.ts';
import { longestHiddenMs, type Sight } from '../../rig/publication.ts';
import { startAgain } from '../../rig/start-again.ts';
import { sleep, until } from '../../rig/until.ts';
import { UNINTERRUPTED_MS } from './gateways.ts';

export const RECOVERY_MS = 10_000;
/** A record's life, and that of a lease, from the last moment of authority. */
const RECORDS_OUT_MS = 13_000;
const LEASES_OUT_MS = 15_000;

/** The leader of three is lost, by death or by standing still: nothing outside notices, and a new leader is enough. */
export async function leaderLost({ installation, probes, sights }: Scene, how: 'killed' | 'stopped'): Promise<void> {
  const name = `etcd leader ${how}`;
  const leader = await installation.etcd.leader();
  const at = performance.now();
  if (how === 'killed') await leader.kill();
  else leader.signal('SIGSTOP');
  await sleep(25_000);
  if (how === 'stopped') leader.signal('SIGCONT');
  else await startAgain(leader);
  await sleep(5_000);
  const end = performance.now();
  const gap = longestGapMs(probes, at, end - 2_100);
  const hidden = longestHiddenMs(sights, at, end - 1_100);
  milliseconds(name, 'longest time without a good answer', gap, `< ${UNINTERRUPTED_MS}`);
  milliseconds(name, 'longest time not shown by discovery', hidden);
  expect(refusals(probes, at, end)).toEqual({});
  expect(gap).toBeLessThan(UNINTERRUPTED_MS);
}

/** The only etcd is killed and started again, quickly: within what leases forgive, so nothing outside notices. */
export async function etcdRestarted({ installation, probes, sights }: Scene): Promise<void> {
  const [member] = installation.etcd.members;
  const at = performance.now();
  await member?.kill();
  await sleep(1_000);
  if (member !== undefined) await startAgain(member);
  const back = performance.now();
  await authorityBack(installation, 'etcd restarted');
  await sleep(1_500);
  const end = performance.now();
  const gap = longestGapMs(probes, at, end - 1_000);
  milliseconds('etcd restarted', 'etcd was away for', back - at);
  milliseconds('etcd restarted', 'longest time without a good answer', gap, `< ${UNINTERRUPTED_MS}`);
  milliseconds('etcd restarted', 'longest time not shown by discovery', longestHiddenMs(sights, at, end - 1_100));
  expect(refusals(probes, at, end)).toEqual({});
  expect(gap).toBeLessThan(UNINTERRUPTED_MS);
}

async function authorityBack({ gateways }: Scene['installation'], name: string): Promise<number> {
  const ready = async (): Promise<boolean> => (await Promise.all(gateways.map(isReady))).every(Boolean);
  const took = await until('all gateways hold authority', ready, RECOVERY_MS);
  milliseconds(name, 'all gateways hold authority again after', took, `< ${RECOVERY_MS}`);
  return took;
}

/** Two of three are gone for 25 s: what is shown runs out, shared traffic ends, and all of it comes back by itself. */
export async function quorumLost({ installation, probes, sights }: Scene, mode: 'shared' | 'dedicated'): Promise<void> {
  const name = `quorum lost 25 s (${mode})`;
  const { members } = installation.etcd;
  const gone = members.slice(0, 2);
  const pids = installation.supervisors.map((each) => each.pid());
  const at = performance.now();
  await Promise.all(gone.map((member) => member.kill()));
  await sleep(25_000 - (performance.now() - at));
  const outFor = lastShown(sights) - at;
  milliseconds(name, 'last shown by discovery', outFor, `< ${RECORDS_OUT_MS}`);
  const lastGood = lastAnswered(probes) - at;
  milliseconds(name, 'last good answer', lastGood, mode === 'shared' ? `< ${LEASES_OUT_MS}` : 'to the end: freshness is 30 s');
  expect(outFor).toBeLessThan(RECORDS_OUT_MS + 500);
  if (mode === 'shared') expect(lastGood).toBeLessThan(LEASES_OUT_MS);
  else expect(lastGood).toBeGreaterThan(24_000);
  const began = performance.now();
  await Promise.all(gone.map(startAgain));
  const back = performance.now();
  milliseconds(name, 'etcd itself needed', back - began);
  const served = await until('served again', () => lastAnswered(probes) > back, RECOVERY_MS + 5_000);
  const shown = await until('shown again', () => lastShown(sights) > back, RECOVERY_MS + 5_000);
  milliseconds(name, 'served again after etcd was back', served, `< ${RECOVERY_MS}`);
  milliseconds(name, 'shown again after etcd was back', served + shown, `< ${RECOVERY_MS}`);
  record({ case: name, what: 'answers meanwhile', value: JSON.stringify(refusals(probes, at, back)), unit: '', bound: '' });
  expect(served + shown).toBeLessThan(RECOVERY_MS);
  expect(installation.supervisors.map((each) => each.pid())).toEqual(pids);
  await sleep(22_000);
  // The grace is over by now: nobody was suspected for what the store did.
  expect(refusals(probes, performance.now() - 15_000, performance.now())).toEqual({});
}

const lastShown = (sights: readonly Sight[]): number => sights.findLast(({ shown }) => shown !== undefined)?.at ?? 0;
const lastAnswered = (probes: readonly Probe[]): number =>
  Math.max(
    0,
    ...probes
      .slice(-2_000)
      .filter(({ outcome }) => outcome === 'ok')
      .map(({ sentAt }) => sentAt),
  );
