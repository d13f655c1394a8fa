import { DEFAULT_POLICY, parseServiceRef } from '@sallyport/model';
import { livelyMs } from '@sallyport/process/lively';
import type { Supervisor } from '@sallyport/supervisor';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { download, get, type Open, openWebSocket } from '../stack/client.ts';
import { type LiveApp, startLiveApp } from '../stack/live-app.ts';
import { type Installation, startInstallation } from './installation.ts';

const STREAMS = 50;

let apps: readonly [gone: LiveApp, stays: LiveApp];
let installation: Installation;
let supervisor: Supervisor;

beforeEach(async () => {
  apps = [await startLiveApp('gone'), await startLiveApp('stays')];
  installation = await startInstallation();
  supervisor = await installation.supervise(installation.sharedPool, 'push', { 'max-streams-per-route': String(STREAMS) });
});
afterEach(async () => {
  await installation.close();
  for (const app of apps) await app.close();
});

async function serve(sandbox: string, port: number): Promise<URL> {
  const operator = installation.operator();
  await operator.register({ workspace: 'team', sandbox }, 'shared', installation.sharedPool);
  const ref = parseServiceRef(`team/${sandbox}/web`);
  if (!ref.ok) throw new Error(ref.error);
  const { host } = await operator.expose({ ref: ref.value, port, policy: DEFAULT_POLICY });
  await expect.poll(() => supervisor.servedHosts()).toContain(host);
  return new URL(`https://${host}:${supervisor.appPort}/`);
}

/** Half downloads, half WebSockets, all under way. */
async function openStreams(url: URL, count: number): Promise<readonly Open[]> {
  const open = (_: unknown, index: number) =>
    index % 2 === 0 ? download(url, installation.ca) : openWebSocket(url, installation.ca);
  return Promise.all(Array.from({ length: count }, open));
}

const countersOf = (url: URL) =>
  [...supervisor.hosted()].find((each) => each.routes().some(({ host }) => host === url.hostname))?.instance.counters();

test('deleting one sandbox ends its 50 streams within a second; its neighbour keeps streams, pool and limit', async () => {
  const [gone, stays] = [await serve('gone', apps[0].port), await serve('stays', apps[1].port)];
  const ending = await openStreams(gone, STREAMS);
  const kept = await openStreams(stays, 10);
  // The first is full: its limit is its own.
  expect((await get(gone, installation.ca)).code).toBe('over_limit');
  expect((await get(stays, installation.ca)).status).toBe(200);
  await expect.poll(() => countersOf(stays)).toMatchObject({ connectionCount: kept.length, idleAppConnectionCount: 1 });
  const before = countersOf(stays);

  const deletedAt = livelyMs();
  await installation.deleteSandbox('team', 'gone');
  const ends = await Promise.all(ending.map(({ ended }) => ended));
  const slowest = Math.max(...ends.map(({ livelyAt }) => livelyAt)) - deletedAt;
  expect(slowest).toBeLessThan(1_000);
  expect(ends.filter(({ clean }, index) => clean && index % 2 === 0)).toEqual([]);
  await expect(get(gone, installation.ca)).rejects.toThrow();

  expect(kept.every((open) => open.isOpen())).toBe(true);
  expect(countersOf(stays)).toEqual(before);
  // Up to its limit and not one more, as before.
  const more = await openStreams(stays, STREAMS - kept.length);
  expect((await get(stays, installation.ca)).code).toBe('over_limit');
  expect(kept.every((open) => open.isOpen())).toBe(true);
  for (const open of [...kept, ...more]) open.close();
  await expect.poll(async () => (await get(stays, installation.ca)).body).toBe('stays\n');
});
