import { gatewayV1 } from '@sallyport/wire';
import { expect } from 'vitest';
import type { AppProcess } from '../../rig/app-process.ts';
import type { Scene } from '../../rig/case.ts';
import { milliseconds } from '../../rig/figures.ts';
import type { Installation } from '../../rig/installation.ts';
import { readMetric } from '../../rig/metrics.ts';
import { get, longestGapMs, overlaps, refusals } from '../../rig/prober.ts';
import { longestHiddenMs } from '../../rig/publication.ts';
import { sleep, until } from '../../rig/until.ts';

const methods = gatewayV1.GatewayServiceService;
/** From the loss of a gateway to the session with another. */
export const FAILOVER_MS = 2_000;
/** Probes come each 50 ms from a client that shares its processors with the whole installation. */
export const UNINTERRUPTED_MS = 500;

export const sessionsOf = async (gateway: AppProcess): Promise<number> =>
  (await readMetric(gateway.adminPort(), 'sallyport_gateway_sessions')) ?? 0;

/** The gateway that holds the session, and one that does not. */
export async function holderOf({ gateways }: Installation): Promise<{ readonly holder: AppProcess; readonly other: AppProcess }> {
  const counts = await Promise.all(gateways.map(sessionsOf));
  const index = counts.findIndex((count) => count > 0);
  const holder = gateways[index];
  const other = gateways[(index + 1) % gateways.length];
  if (holder === undefined || other === undefined) throw new Error(`no gateway holds a session: ${counts.join()}`);
  return { holder, other };
}

/** The gateway that holds the session is killed: another takes the member, serving goes on, and a change arrives. */
export async function gatewayKilled(
  { installation, served, app, probes, sights }: Scene,
  name = 'gateway killed',
): Promise<void> {
  const { holder, other } = await holderOf(installation);
  const at = performance.now();
  await holder.kill();
  const failover = await until('the session is with another gateway', async () => (await sessionsOf(other)) > 0, 10_000);
  milliseconds(name, 'session with another gateway after', failover, `< ${FAILOVER_MS}`);
  await changeArrives(installation, served.name, app.port, installation.gateways.indexOf(other), name);
  await sleep(3_000);
  const gap = longestGapMs(probes, at, performance.now() - 2_100);
  milliseconds(name, 'longest time without a good answer', gap, `< ${UNINTERRUPTED_MS}`);
  milliseconds(name, 'longest time not shown by discovery', longestHiddenMs(sights, at, performance.now() - 1_100));
  expect(refusals(probes, at, performance.now())).toEqual({});
  expect(gap).toBeLessThan(UNINTERRUPTED_MS);
  expect(failover).toBeLessThan(FAILOVER_MS);
}

/** A change through the gateway that is left is served: authority is there again, not only a stream. */
async function changeArrives(
  installation: Installation,
  name: { readonly workspace: string; readonly sandbox: string },
  port: number,
  gateway: number,
  what: string,
): Promise<void> {
  const exposed = await installation.ask(
    methods.exposeService,
    { name: { ...name, service: 'late' }, port, policy: undefined },
    gateway,
  );
  const host = exposed.service?.host ?? '';
  const [supervisor] = installation.supervisors;
  const appPort = supervisor?.address('app').port ?? 0;
  const isServed = async (): Promise<boolean> => (await get(host, appPort, installation.pki.ca, '/late')) === 'ok';
  milliseconds(what, 'a change through another gateway is served after', await until(`${host} is served`, isServed, 10_000));
}

/** The gateway that holds the session stands still for 20 s: its members go to another, and what it believes counts no more. */
export async function gatewayPaused({ installation, probes, sights }: Scene): Promise<void> {
  const { holder, other } = await holderOf(installation);
  const at = performance.now();
  holder.signal('SIGSTOP');
  const failover = await until('the session is with another gateway', async () => (await sessionsOf(other)) > 0, 19_000);
  milliseconds('gateway paused 20 s', 'session with another gateway after', failover, `< ${FAILOVER_MS}`);
  await sleep(Math.max(0, 20_000 - (performance.now() - at)));
  holder.signal('SIGCONT');
  const resumed = performance.now();
  // It has lost its key meanwhile; it must come back under another one, and harm nobody.
  const hasAuthority = async (): Promise<boolean> =>
    (await readMetric(holder.adminPort(), 'sallyport_gateway_has_authority')) === 1;
  await sleep(2_000);
  const back = await until('the resumed gateway has joined again', hasAuthority, 15_000);
  milliseconds('gateway paused 20 s', 'resumed gateway holds authority again after', back + 2_000);
  await sleep(12_000);
  const gap = longestGapMs(probes, at, performance.now() - 2_100);
  milliseconds('gateway paused 20 s', 'longest time without a good answer', gap);
  milliseconds(
    'gateway paused 20 s',
    'longest time not shown by discovery',
    longestHiddenMs(sights, at, performance.now() - 1_100),
  );
  milliseconds(
    'gateway paused 20 s',
    'not served after it resumed, longest',
    longestGapMs(probes, resumed, performance.now() - 2_100),
  );
  expect(overlaps(probes)).toEqual([]);
  expect(refusals(probes, at, performance.now())).toEqual({});
  expect(gap).toBeLessThan(UNINTERRUPTED_MS);
  expect(failover).toBeLessThan(FAILOVER_MS);
}

/** Ended in good order: its sessions go in steps, and serving goes on. */
export async function gatewayDrained({ installation, probes, sights }: Scene): Promise<void> {
  const { holder, other } = await holderOf(installation);
  const at = performance.now();
  const ended = holder.end();
  const failover = await until('the session is with another gateway', async () => (await sessionsOf(other)) > 0, 10_000);
  milliseconds('gateway drained', 'session with another gateway after', failover, `< ${FAILOVER_MS}`);
  milliseconds('gateway drained', 'the process ended after', await ended);
  await sleep(3_000);
  const gap = longestGapMs(probes, at, performance.now() - 2_100);
  milliseconds('gateway drained', 'longest time without a good answer', gap, `< ${UNINTERRUPTED_MS}`);
  milliseconds('gateway drained', 'longest time not shown by discovery', longestHiddenMs(sights, at, performance.now() - 1_100));
  expect(refusals(probes, at, performance.now())).toEqual({});
  expect(gap).toBeLessThan(UNINTERRUPTED_MS);
}
