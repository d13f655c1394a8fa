import { DEFAULT_POLICY, parseServiceRef } from '@sallyport/model';
import { livelyMs } from '@sallyport/process/lively';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { download, get } from './client.ts';
import { type InsideStack, startInside } from './inside.ts';
import { type LiveApp, startLiveApp } from './live-app.ts';

let app: LiveApp;
let inside: InsideStack;

beforeEach(async () => {
  app = await startLiveApp('web');
  inside = await startInside();
});
afterEach(async () => {
  await inside.close();
  await app.close();
});

test('a draining supervisor hands its sandbox to another within a second; open streams go on, and the workload is the same', async () => {
  const first = await inside.supervise();
  const second = await inside.supervise();
  await inside.stack.operator.register({ workspace: 'team', sandbox: 'box' }, 'shared', '');
  const ref = parseServiceRef('team/box/web');
  if (!ref.ok) throw new Error(ref.error);
  const service = await inside.stack.operator.expose({ ref: ref.value, port: app.port, policy: DEFAULT_POLICY });
  const at = (port: number | undefined): URL => new URL(`https://${service.host}:${port}/`);
  await expect.poll(() => [first, second].filter((each) => each.servedHosts().length > 0).length).toBe(1);
  const [owner, other] = first.servedHosts().length > 0 ? [first, second] : [second, first];
  const stream = await download(at(owner.appPort), inside.ca);

  const startedAt = livelyMs();
  const draining = owner.drain(new AbortController().signal);
  let admittedAt: number | undefined;
  await expect
    .poll(
      async () => {
        const answer = await get(at(other.appPort), inside.ca).catch(() => undefined);
        if (answer?.status === 200) admittedAt ??= livelyMs();
        return answer?.status;
      },
      { timeout: 60_000, interval: 10 },
    )
    .toBe(200);
  expect((admittedAt ?? Number.NaN) - startedAt).toBeLessThan(3_000);
  const shown = (await inside.stack.operator.list()).find(({ host }) => host === service.host);
  expect(shown?.endpoint).toBe(`127.0.0.1:${other.appPort}`);
  await draining;
  await stream.ended;
});
