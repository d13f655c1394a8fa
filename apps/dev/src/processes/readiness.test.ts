import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReadyCheck } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { followReadiness } from './readiness.ts';

test('a process that lives is ready when all its own checks hold', async () => {
  let checks: readonly ReadyCheck[] = [{ name: 'store', ok: true }];
  let alive = true;
  const server = createServer((_request, response) => response.end(JSON.stringify({ checks })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const admin = { host: '127.0.0.1', port };
  const clock = createManualClock();
  const child = { name: 'gateway-1', pid: 7, alive: () => alive, announced: { pid: 7, admin, listens: {} } };
  const readiness = followReadiness([child], clock);
  const seen = async (): Promise<readonly ReadyCheck[]> => {
    clock.advance(1_000);
    return readiness.checks();
  };
  expect(readiness.checks()).toEqual([{ name: 'gateway-1', ok: true, detail: 'process 7' }]);
  checks = [
    { name: 'store', ok: true },
    { name: 'authority', ok: false, detail: 'the store does not answer' },
  ];
  await expect.poll(seen).toEqual([{ name: 'gateway-1', ok: false, detail: 'authority: the store does not answer' }]);
  checks = [];
  await expect.poll(seen).toEqual([{ name: 'gateway-1', ok: true, detail: 'process 7' }]);
  server.close();
  server.closeAllConnections();
  await expect.poll(seen).toEqual([{ name: 'gateway-1', ok: false, detail: 'does not answer' }]);
  alive = false;
  expect(readiness.checks()).toEqual([{ name: 'gateway-1', ok: false, detail: 'has ended' }]);
  readiness.stop();
});
