import { livelyMs } from '@sallyport/process/lively';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { download, get, openWebSocket } from './client.ts';
import { type DevStack, startDev } from './dev-stack.ts';
import { type LiveApp, startLiveApp } from './live-app.ts';

let apps: readonly [LiveApp, LiveApp];
let stack: DevStack;

beforeAll(async () => {
  apps = [await startLiveApp('web'), await startLiveApp('api')];
  stack = await startDev([`--service=team/box/web=${apps[0].port}`, `--service=team/box/api=${apps[1].port}`]);
});
afterAll(async () => {
  const ended = await stack.stop();
  for (const app of apps) await app.close();
  expect(ended.code).toBe(0);
  expect(ended.tookMs).toBeLessThan(3_000);
});

test('a deleted service loses its streams within a second, another service keeps its own, and exposing brings it back', async () => {
  const [web, api] = [stack.url('team/box/web'), stack.url('team/box/api')];
  const gone = [await openWebSocket(web, stack.ca), await download(web, stack.ca)];
  const kept = [await openWebSocket(api, stack.ca), await download(api, stack.ca)];

  const deleted = await stack.sallyport('service', 'delete', 'team/box/web');
  const deletedAt = livelyMs();
  expect(deleted.code).toBe(0);
  const [tunnel, stream] = await Promise.all(gone.map((open) => open.ended));
  expect((tunnel?.livelyAt ?? Number.NaN) - deletedAt).toBeLessThan(1_000);
  expect((stream?.livelyAt ?? Number.NaN) - deletedAt).toBeLessThan(1_000);
  // A clean end would be a lie: the download is not whole.
  expect(stream?.clean).toBe(false);
  const refused = await get(web, stack.ca, '/', { accept: 'application/json' });
  expect([refused.status, refused.code]).toEqual([404, 'route_withdrawn']);
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'route_withdrawn', host: web.hostname, retryable: false });

  expect(kept.map((open) => open.isOpen())).toEqual([true, true]);
  expect((await get(api, stack.ca)).body).toBe('api\n');

  const exposed = await stack.sallyport('service', 'expose', `team/box/web=${apps[0].port}`);
  expect(exposed.code).toBe(0);
  expect(exposed.stdout).toContain(web.href);
  expect((await get(web, stack.ca)).body).toBe('web\n');
  expect(kept.map((open) => open.isOpen())).toEqual([true, true]);
  for (const open of kept) open.close();
});

test('a sandbox that is registered while the stack runs is served at the same port', async () => {
  expect((await stack.sallyport('sandbox', 'register', 'team/late')).code).toBe(0);
  const exposed = await stack.sallyport('service', 'expose', `team/late/web=${apps[0].port}`, '-o', 'json');
  expect(exposed.code).toBe(0);
  const url = new URL((JSON.parse(exposed.stdout) as { url: string }).url);
  expect(url.port).toBe(stack.url('team/box/web').port);
  expect((await get(url, stack.ca)).body).toBe('web\n');
  expect((await stack.sallyport('sandbox', 'delete', 'team/late')).code).toBe(0);
});

test('a configuration that the supervisor rejects serves nothing of the sandbox', async () => {
  const supervisor = stack.ready.processes.find(({ app }) => app === 'supervisor');
  await stack.sallyport('sandbox', 'register', 'team/bad');
  await stack.sallyport('service', 'expose', `team/bad/good=${apps[0].port}`);
  const url = new URL(stack.url('team/box/web').href.replace('team--box--web', 'team--bad--good'));
  expect((await get(url, stack.ca)).status).toBe(200);
  // The listener's own port: an application there would be a loop.
  const exposed = await stack.sallyport('service', 'expose', `team/bad/loop=${supervisor?.port}`);
  expect(exposed.code).toBe(1);
  expect(exposed.stderr).toMatch(/port \d+ is the supervisor's own/);
  expect((await get(url, stack.ca)).code).toBe('route_withdrawn');
  expect((await stack.sallyport('service', 'delete', 'team/bad/loop')).code).toBe(0);
  await expect.poll(async () => (await get(url, stack.ca)).status).toBe(200);
});
