import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type Failure, failure, fenced, ok } from '@sallyport/model';
import { describe, expect, test, vi } from 'vitest';
import { call, openStream } from './client.ts';
import { ComputeDriverServiceService as driver } from './gen/sallyport/driver/v1/driver.ts';
import { GatewayServiceService as gateway } from './gen/sallyport/gateway/v1/gateway.ts';
import { SupervisorServiceService as supervisor } from './gen/sallyport/supervisor/v1/supervisor.ts';
import { ask, drivers, faults, link, serve, supervisors } from './testing/wired.ts';

describe('a unary call', () => {
  test('answers, and knows who asks', async () => {
    const seen = vi.fn();
    const server = await serve([
      drivers({
        getSandbox: async (request, { peer, bearer }) => {
          seen(request, peer, bearer);
          return ok({ workload: undefined });
        },
      }),
    ]);
    expect(await ask(link(server), { bearer: 'abc' })).toEqual({ ok: true, value: { workload: undefined } });
    expect(seen).toHaveBeenCalledWith({ workspace: 'team', sandbox: 'demo' }, { app: 'gateway', id: 'one' }, 'abc');
  });

  test("brings back what the server's clock said, to the second", async () => {
    const server = await serve([drivers({ getSandbox: async () => ok({ workload: undefined }) })]);
    let serverMs = 0;
    await ask(link(server), {
      onServerTime: (unixMs) => {
        serverMs = unixMs;
      },
    });
    expect(serverMs % 1_000).toBe(0);
    // Node says the time of a second that has begun, and remembers it until the next.
    expect(Math.abs(Date.now() - serverMs)).toBeLessThan(10_000);
  });

  const refusals: Failure[] = [
    failure('unknown', 'no such sandbox'),
    fenced('runtime', 'it has moved on'),
    failure('not-ready', 'stale — wait'),
  ];
  test.each(refusals)('brings back a refusal: $kind', async (refusal) => {
    const server = await serve([drivers({ getSandbox: async () => ({ ok: false, error: refusal }) })]);
    expect(await ask(link(server))).toEqual({ ok: false, error: refusal });
  });

  test('tells the caller nothing of a fault, and the log everything', async () => {
    const server = await serve([drivers({ getSandbox: async () => Promise.reject(new Error('secret detail')) })]);
    expect(await ask(link(server))).toEqual({ ok: false, error: failure('not-ready', 'INTERNAL: internal error') });
    expect(faults.map(String)).toContain('Error: secret detail');
  });

  test('refuses bytes that are no such message as malformed', async () => {
    const server = await serve([drivers({})]);
    const broken = { ...driver.getSandbox, requestSerialize: () => Buffer.from([255, 255]) };
    expect(await call(link(server), broken, { workspace: '', sandbox: '' }, { deadlineMs: 5_000 })).toMatchObject({
      error: { kind: 'malformed' },
    });
  });

  test('refuses a message that is too large', async () => {
    const server = await serve([drivers({ getSandbox: async () => ok({ workload: undefined }) })], { messageBytesMax: 1_000 });
    expect(
      await call(link(server), driver.getSandbox, { workspace: 'x'.repeat(1_001), sandbox: '' }, { deadlineMs: 5_000 }),
    ).toMatchObject({
      error: { kind: 'over-limit' },
    });
  });

  test('ends at its deadline, and the handler learns of it', async () => {
    const gone = Promise.withResolvers<void>();
    const server = await serve([
      drivers({
        getSandbox: (_request, { signal }) => new Promise(() => signal.addEventListener('abort', () => gone.resolve())),
      }),
    ]);
    expect(await ask(link(server), { deadlineMs: 50 })).toEqual({
      ok: false,
      error: failure('not-ready', 'no answer within 50 ms'),
    });
    await gone.promise;
  });

  test('ends when its caller gives up', async () => {
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await serve([
      drivers({
        getSandbox: (_request, { signal }) => {
          asked.resolve();
          return new Promise(() => signal.addEventListener('abort', () => gone.resolve()));
        },
      }),
    ]);
    const giveUp = new AbortController();
    const result = ask(link(server), { signal: giveUp.signal });
    await asked.promise;
    giveUp.abort();
    expect(await result).toMatchObject({ error: { message: 'cancelled' } });
    await gone.promise;
  });

  test('a service that is not bound is unsupported', async () => {
    const server = await serve([drivers({})]);
    expect(await call(link(server), gateway.getStatus, {}, { deadlineMs: 5_000 })).toMatchObject({
      error: { kind: 'unsupported' },
    });
  });
});

describe('listening', () => {
  test('on a port in use fails with the code', async () => {
    const server = await serve([]);
    await expect(serve([], { address: server.address })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('ends within the deadline, whatever is open', async () => {
    const opened = Promise.withResolvers<void>();
    const server = await serve([
      supervisors((stream) => {
        opened.resolve();
        return new Promise((resolve) => stream.signal.addEventListener('abort', () => resolve(ok(undefined))));
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    await opened.promise;
    await server.close(50);
    expect(await stream.closed).toMatchObject({ kind: 'not-ready' });
    const socket = connectTcp(server.address.port, '127.0.0.1');
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    // Left alone, the connection would last until its keep-alive finds nobody, 10 s later.
  }, 5_000);
});
