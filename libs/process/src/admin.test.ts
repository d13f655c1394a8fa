import { createServer } from 'node:net';
import { formatAddress } from '@sallyport/model';
import { afterEach, describe, expect, test } from 'vitest';
import { type Admin, type ReadyCheck, startAdmin } from './admin.ts';
import { CannotStart, cannotListen, listen } from './listen.ts';
import { createMetrics } from './metrics.ts';

let admin: Admin | undefined;
afterEach(() => admin?.close());

async function start(ready: () => readonly ReadyCheck[]) {
  const metrics = createMetrics();
  metrics.counter('sallyport_test_things_total', 'Things.').add(1);
  admin = await startAdmin({ address: { host: '127.0.0.1', port: 0 }, metrics, ready });
  const base = `http://${formatAddress(admin.address)}`;
  return (path: string, method = 'GET') => fetch(base + path, { method });
}

describe('health', () => {
  test('is live whatever is ready', async () => {
    const get = await start(() => [{ name: 'store', ok: false }]);
    expect((await get('/livez')).status).toBe(200);
  });
  const rows: [title: string, checks: ReadyCheck[], status: number][] = [
    ['ready with every check', [{ name: 'a', ok: true }], 200],
    [
      'not ready with one that fails',
      [
        { name: 'a', ok: true },
        { name: 'b', ok: false, detail: 'no authority' },
      ],
      503,
    ],
  ];
  test.each(rows)('%s', async (_title, checks, status) => {
    const get = await start(() => checks);
    const response = await get('/readyz');
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ ready: status === 200, checks });
  });
  test('a check that throws is an answer, not a crash', async () => {
    const get = await start(() => {
      throw new Error('broken check');
    });
    expect((await get('/readyz')).status).toBe(500);
    expect((await get('/livez')).status).toBe(200);
  });
  test('serves metrics', async () => {
    const get = await start(() => []);
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('sallyport_test_things_total 1');
  });
  test.each([
    ['/', 'GET', 404],
    ['/metrics/x', 'GET', 404],
    ['/livez', 'POST', 405],
    ['/readyz', 'DELETE', 405],
  ])('refuses %s %s with %i', async (path, method, status) => {
    const get = await start(() => []);
    expect((await get(path, method)).status).toBe(status);
  });
});

describe('an address that cannot be had', () => {
  test('in use', async () => {
    await start(() => []);
    const taken = (admin as Admin).address;
    const again = listen(createServer(), taken, 'listen');
    await expect(again).rejects.toThrow(CannotStart);
    await expect(again).rejects.toThrow(
      `cannot listen on 127.0.0.1:${taken.port}: the port is in use; end the process that has it, or choose another with --listen`,
    );
  });
  test('of another machine', () =>
    expect(listen(createServer(), { host: '192.0.2.1', port: 0 }, 'listen')).rejects.toThrow(/no interface of this machine/));
  test.each([
    ['EACCES', 443, /choose a port above 1023 with --listen, or give the process CAP_NET_BIND_SERVICE/],
    ['EACCES', 8443, /not permitted by the system/],
    ['ENOTFOUND', 1, /cannot be resolved/],
    ['EWHATEVER', 1, /the raw message/],
  ])('%s on port %i', (code, port, text) => {
    const error = Object.assign(new Error('the raw message'), { code });
    expect(cannotListen(error, { host: '0.0.0.0', port }, 'listen').message).toMatch(text);
  });
  test.each([
    ['EADDRINUSE', /choose another with --port /],
    ['EADDRNOTAVAIL', /choose another with --host$/],
    ['EAFNOSUPPORT', /choose an IPv4 address with --host$/],
    ['ENOTFOUND', /give an IP address with --host$/],
  ])('%s, where host and port are set apart', (code, text) => {
    const error = Object.assign(new Error('the raw message'), { code });
    expect(cannotListen(error, { host: '192.0.2.1', port: 8443 }, 'port', 'host').message).toMatch(text);
  });
});
