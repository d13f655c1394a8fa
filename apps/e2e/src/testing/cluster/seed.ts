import { expect } from 'vitest';
import { milliseconds } from '../../authority/rig/figures.ts';
import { sleep, until } from '../../authority/rig/until.ts';
import type { Client } from './client.ts';
import { DOMAIN } from './credentials.ts';
import { hostOf, type Installation } from './installation.ts';
import { policyManifest } from './manifest.ts';
import type { RunningPod } from './plan.ts';
import { PORTS } from './plans.ts';
import { sandboxMarks, told, untilPublished, untilRefused, untilServed } from './served.ts';

/** What the four seed cases have in common: a sandbox with a named and an unnamed service, policies, and clients on both sides of them. */
export interface Seed {
  readonly installation: Installation;
  readonly box: RunningPod;
  readonly appPort: number;
  readonly client: Client;
  /** Whom the policy does not name. */
  readonly stranger: Client;
  /** Of the process that must outlive everything. */
  readonly identity: Identity;
}

export interface Identity {
  readonly pid: number;
  readonly memory: string;
}

export const BOX = 'box';
export const HOST = hostOf(BOX);
export const UNNAMED = `team--${BOX}.${DOMAIN}`;
const FRESHNESS_MS = 30_000;

export async function openSeed(
  installation: Installation,
  mode: 'shared' | 'dedicated',
  owner: () => Promise<RunningPod>,
): Promise<Seed & { readonly owner: RunningPod }> {
  const { cluster } = installation;
  await cluster.put('networkpolicies', policyManifest('applications', { role: 'supervisor' }, PORTS.app, { role: 'client' }));
  await cluster.put(
    'networkpolicies',
    policyManifest('boundaries', { role: 'workload' }, PORTS.boundary, { role: 'supervisor' }),
  );
  const { labels } = sandboxMarks(BOX, '', mode);
  const [{ pod: box, appPort }, client, stranger] = await Promise.all([
    installation.work(BOX, { labels, services: (port) => `${port},web=${port},api=${port}` }),
    installation.client('client', { role: 'client' }),
    installation.client('stranger', { role: 'stranger' }),
  ]);
  const pod = await owner();
  const { pid, memory } = await untilServed(client, pod, HOST);
  await untilPublished(installation, HOST, pod);
  return { installation, box, appPort, client, stranger, identity: { pid, memory }, owner: pod };
}

/** One answer, from the very process and memory that the case began with. */
export async function expectSameProcess({ client, identity }: Seed, at: RunningPod): Promise<void> {
  const { pid, memory } = await untilServed(client, at, HOST);
  expect({ pid, memory }).toEqual(identity);
}

/** Whom the policies deny, and whom they do not; and what a client may say. */
export async function checkTraffic(seed: Seed, at: RunningPod): Promise<void> {
  const { client, stranger, box, appPort } = seed;
  expect(await client.dial(at, PORTS.app)).toBe('connected');
  expect(await stranger.dial(at, PORTS.app)).toBe('timeout');
  expect((await stranger.get(at, { host: HOST })).status).toBe(0);
  for (const each of [client, stranger]) {
    expect(await each.dial(box, PORTS.boundary)).toBe('timeout');
    // It listens on its loopback, and nowhere else.
    expect(await each.dial(box, appPort)).not.toBe('connected');
  }
  await expectSameProcess(seed, at);
  expect((await client.get(at, { host: UNNAMED })).status).toBe(200);
  expect(await client.get(at, { host: UNNAMED, serverName: HOST })).toMatchObject({ status: 421, code: 'host_mismatch' });
  expect((await client.get(at, { host: hostOf('nobody') })).status).toBe(0);
  const { headers } = told(
    await client.get(at, { host: HOST, headers: { 'x-forwarded-for': '6.6.6.6', 'x-real-ip': '6.6.6.6', te: 'gzip' } }),
  );
  expect(headers).toMatchObject({ host: HOST, 'x-forwarded-for': client.pod.address, 'x-forwarded-proto': 'https' });
  expect(headers['x-real-ip']).toBeUndefined();
  const tunnel = await client.tunnel(at, HOST);
  expect(await tunnel.alive()).toBe(true);
}

/** Nothing is said for longer than configuration is good for, and yet it goes on. */
export async function checkQuietSession(seed: Seed, at: RunningPod): Promise<void> {
  const tunnel = await seed.client.tunnel(at, HOST);
  await sleep(FRESHNESS_MS + 3_000);
  expect(await tunnel.alive()).toBe(true);
  await expectSameProcess(seed, at);
}

/** One service is taken back: its streams end, and no others. */
export async function checkWithdrawal(seed: Seed, at: RunningPod): Promise<void> {
  const { installation, box, appPort, client } = seed;
  const [kept, withdrawn] = [await client.tunnel(at, HOST), await client.tunnel(at, hostOf(BOX, 'api'))];
  await installation.cluster.mark(box, { annotations: { services: `${appPort},web=${appPort}` } });
  await untilRefused(client, at, hostOf(BOX, 'api'), ['route_withdrawn']);
  await until('the withdrawn tunnel is closed', () => withdrawn.closedAt() !== undefined, 5_000);
  expect(await kept.alive()).toBe(true);
  await expectSameProcess(seed, at);
}

/** No gateway at all: it serves for a while, ends, and is back with them, all without a new process. */
export async function checkOutage(
  seed: Seed,
  at: RunningPod,
  name: string,
  { code, withinMs }: { readonly code: string; readonly withinMs: number },
): Promise<void> {
  const { installation, client } = seed;
  const tunnel = await client.tunnel(at, HOST);
  const goneAt = performance.now();
  await installation.stopGateways();
  await expectSameProcess(seed, at);
  await untilRefused(client, at, HOST, [code], withinMs + 5_000);
  const endedMs = performance.now() - goneAt;
  milliseconds(name, 'gateways gone to refused', endedMs, `under ${withinMs} ms`);
  expect(endedMs).toBeLessThan(withinMs + 500);
  await until('the tunnel is closed', () => tunnel.closedAt() !== undefined, 2_000);
  await installation.startGateways();
  const backAt = performance.now();
  await untilServed(client, at, HOST, 60_000);
  milliseconds(name, 'gateways back to first 200', performance.now() - backAt);
  await untilPublished(installation, HOST, at, 60_000);
  await expectSameProcess(seed, at);
}
