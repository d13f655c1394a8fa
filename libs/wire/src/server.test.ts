import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, credentials } from '@grpc/grpc-js';
import { type Failure, failure, fenced, ok, type Result } from '@sallyport/model';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { call, type Link, type LinkOptions, openLink, openServerStream, openStream } from './client.ts';
import { ComputeDriverServiceService as driver } from './gen/sallyport/driver/v1/driver.ts';
import { GatewayServiceService as gateway } from './gen/sallyport/gateway/v1/gateway.ts';
import { SupervisorServiceService as supervisor } from './gen/sallyport/supervisor/v1/supervisor.ts';
import type { HandlersOf } from './methods.ts';
import { OUTGOING_MAX } from './outgoing.ts';
import { bind, listen, type ServerOptions, type WireServer } from './server.ts';
import { createTestAuthority } from './testing/certificates.ts';
import { openTlsFiles, type TlsFiles, type TlsSource } from './tls-files.ts';

const trustDomain = 'acme.test';
const authority = createTestAuthority();
const stranger = createTestAuthority();
const spiffe = (app: string): string => `URI:spiffe://${trustDomain}/${app}/one,DNS:localhost,IP:127.0.0.1`;

const undo: (() => Promise<void> | void)[] = [];
const source = async (files: TlsFiles | { caFile: string }, refreshMs?: number): Promise<TlsSource> => {
  const opened = await openTlsFiles(files, refreshMs === undefined ? {} : { refreshMs });
  if (!opened.ok) throw new Error(opened.error);
  undo.push(() => opened.value.close());
  return opened.value;
};

const refusing = (): never => {
  throw new Error('not used');
};
const drivers = (handlers: Partial<HandlersOf<typeof driver>>) =>
  bind(driver, {
    getCapabilities: refusing,
    getSandbox: refusing,
    listSandboxes: refusing,
    watchSandboxes: refusing,
    authenticateSupervisor: refusing,
    ...handlers,
  });
const supervisors = (session: HandlersOf<typeof supervisor>['session']) =>
  bind(supervisor, { join: refusing, session, pollConfiguration: refusing });

let serverTls: TlsSource;
let clientTls: TlsSource;
const faults: unknown[] = [];

async function serve(services: ServerOptions['services'], options: Partial<ServerOptions> = {}): Promise<WireServer> {
  const server = await listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: serverTls,
    trustDomain,
    clients: { kind: 'certificate', apps: ['gateway'] },
    services,
    onFault: (_path, error) => faults.push(error),
    ...options,
  });
  undo.push(() => server.close(0));
  return server;
}

function link(server: WireServer, options: Partial<LinkOptions> = {}): Link {
  const opened = openLink({
    target: `127.0.0.1:${server.address.port}`,
    tls: clientTls,
    showsCertificate: true,
    server: { kind: 'app', app: 'driver', trustDomain },
    ...options,
  });
  undo.push(() => opened.close());
  return opened;
}

const ask = (to: Link, options: object = {}) =>
  call(to, driver.getSandbox, { workspace: 'team', sandbox: 'demo' }, { deadlineMs: 5_000, ...options });

beforeAll(async () => {
  serverTls = await source(authority.issue('driver', spiffe('driver')));
  clientTls = await source(authority.issue('gateway', spiffe('gateway')));
});
afterAll(async () => {
  for (const act of undo.reverse()) await act();
  authority.remove();
  stranger.remove();
});

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

describe('who is let in', () => {
  const echo = drivers({ getSandbox: async () => ok({ workload: undefined }) });
  const kindOf = (result: Result<unknown, Failure>): string => (result.ok ? 'ok' : result.error.kind);

  test('an app that the port does not take is refused', async () => {
    const tls = await source(authority.issue('supervisor', spiffe('supervisor')));
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('forbidden');
  });
  test('so is an app that names another trust domain', async () => {
    const tls = await source(authority.issue('other', 'URI:spiffe://other.test/gateway/one'));
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('unauthenticated');
  });
  test('a certificate of another CA does not connect', async () => {
    const files = stranger.issue('gateway', spiffe('gateway'));
    const tls = await source({ ...files, caFile: authority.caFile });
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('not-ready');
  });
  test('no certificate does not connect', async () => {
    expect(kindOf(await ask(link(await serve([echo]), { showsCertificate: false })))).toBe('not-ready');
  });
  test('plain text does not connect', async () => {
    const client = new Client(`127.0.0.1:${(await serve([echo])).address.port}`, credentials.createInsecure());
    expect(kindOf(await ask({ client, close: () => client.close() }))).toBe('not-ready');
    client.close();
  });

  const open: Partial<ServerOptions> = { clients: { kind: 'certificate-or-bearer', apps: ['gateway'] } };
  const whoami = drivers({
    getSandbox: async (_request, { peer, bearer }) =>
      peer || bearer ? ok({ workload: undefined }) : { ok: false, error: failure('unauthenticated', 'who?') },
  });
  test('where a bearer will do, no certificate is needed', async () => {
    const to = link(await serve([whoami], open), { showsCertificate: false });
    expect(kindOf(await ask(to, { bearer: 'abc' }))).toBe('ok');
    expect(kindOf(await ask(to))).toBe('unauthenticated');
  });
  test('where a bearer will do, a certificate of another CA names nobody', async () => {
    const tls = await source({ ...stranger.issue('gateway2', spiffe('gateway')), caFile: authority.caFile });
    expect(kindOf(await ask(link(await serve([whoami], open), { tls })))).toBe('unauthenticated');
  });
  test('where a bearer will do, the wrong app is refused all the same', async () => {
    const tls = await source(authority.issue('edge', spiffe('edge')));
    expect(kindOf(await ask(link(await serve([whoami], open), { tls }), { bearer: 'abc' }))).toBe('forbidden');
  });

  test('a client refuses a server that is another app', async () => {
    const result = await ask(link(await serve([echo]), { server: { kind: 'app', app: 'gateway', trustDomain } }));
    expect(result).toMatchObject({
      error: { kind: 'not-ready', message: expect.stringMatching(/names "driver", not "gateway"/) },
    });
  });
  test('a client refuses a server of another CA', async () => {
    const tls = await source({ ...authority.issue('gateway', spiffe('gateway')), caFile: stranger.caFile });
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('not-ready');
  });
  test('a client that goes by host names refuses another name', async () => {
    const tls = await source(authority.issue('named', 'URI:spiffe://acme.test/driver/one,DNS:elsewhere.test'));
    expect(kindOf(await ask(link(await serve([echo], { tls }), { server: { kind: 'host-name' } })))).toBe('not-ready');
  });
  test('and takes its own', async () => {
    expect(kindOf(await ask(link(await serve([echo]), { server: { kind: 'host-name' } })))).toBe('ok');
  });
});

describe('a stream in both directions', () => {
  const lines = async (received: AsyncIterable<{ response?: { $case: string } | undefined }>): Promise<string[]> => {
    const all: string[] = [];
    for await (const { response } of received) all.push(response?.$case ?? '');
    return all;
  };
  const beat = (sequence: number) => ({ request: { $case: 'heartbeat' as const, value: { sequence: BigInt(sequence) } } });
  const ack = { response: { $case: 'heartbeatAck' as const, value: { sequence: 1n, ageMs: 0 } } };

  test('carries messages both ways and ends in good order', async () => {
    const server = await serve([
      supervisors(async (stream) => {
        for await (const _request of stream.received) stream.send(ack);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    for (let sequence = 0; sequence < 50; sequence += 1) expect(stream.send(beat(sequence))).toBe(true);
    stream.end();
    expect(stream.send(beat(51))).toBe(false);
    expect(await lines(stream.received)).toHaveLength(50);
    expect(await stream.closed).toBeUndefined();
    expect(stream.signal.aborted).toBe(true);
  });

  test('brings back why the handler refused, after what it had sent', async () => {
    const server = await serve([
      supervisors(async (stream) => {
        stream.send(ack);
        await stream.received[Symbol.asyncIterator]().next();
        return { ok: false, error: fenced('credential', 'revoked') };
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    const received = lines(stream.received);
    stream.send(beat(1));
    expect(await stream.closed).toEqual(fenced('credential', 'revoked'));
    expect(await received).toEqual(['heartbeatAck']);
  });

  // Not why: Node's client ends its side in good order before it resets the stream.
  test('tells the handler when the client has gone', async () => {
    const ended = Promise.withResolvers<void>();
    const server = await serve([
      supervisors(async (stream) => {
        for await (const _request of stream.received);
        await stream.closed;
        expect(stream.signal.aborted).toBe(true);
        ended.resolve();
        return ok(undefined);
      }),
    ]);
    const to = link(server);
    const stream = openStream(to, supervisor.session);
    stream.send(beat(1));
    await vi.waitFor(() => expect(to.client.getChannel().getConnectivityState(false)).toBe(2));
    stream.fail(failure('not-ready', 'changed my mind'));
    await ended.promise;
    expect(await stream.closed).toMatchObject({ message: 'changed my mind' });
  });

  test('ends a reader that does not keep up, and lets go of what waits for it', async () => {
    const closed = Promise.withResolvers<Failure | undefined>();
    const server = await serve([
      supervisors(async (stream) => {
        void stream.closed.then(closed.resolve);
        const big = { response: { $case: 'fence' as const, value: { token: 'x'.repeat(100_000) } } };
        let sent = 0;
        while (stream.send(big)) sent += 1;
        expect(sent).toBeGreaterThanOrEqual(OUTGOING_MAX);
        expect(stream.send(big)).toBe(false);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    stream.send(beat(1));
    expect(await closed.promise).toMatchObject({ kind: 'lagging' });
    expect((await lines(stream.received)).length).toBeLessThan(OUTGOING_MAX);
    expect(await stream.closed).toMatchObject({ kind: 'over-limit', message: `the reader is ${OUTGOING_MAX} messages behind` });
  });

  test('a slow handler holds the client back', async () => {
    const go = Promise.withResolvers<void>();
    const server = await serve([
      supervisors(async (stream) => {
        await go.promise;
        for await (const _request of stream.received);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    const reason = 'x'.repeat(100_000);
    const rejected = { request: { $case: 'rejected' as const, value: { revision: 1n, hash: '', ownerEpoch: 0n, reason } } };
    // Windows and queues take a few MiB; then the bound is reached.
    while (stream.send(rejected)) await new Promise(setImmediate);
    go.resolve();
    expect(await stream.closed).toMatchObject({ kind: 'lagging' });
  });

  test('a message that is none ends it as malformed', async () => {
    const server = await serve([
      supervisors(async (stream) => {
        for await (const _request of stream.received);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), { ...supervisor.session, requestSerialize: () => Buffer.from([255, 255]) });
    stream.send(beat(1));
    expect(await stream.closed).toMatchObject({ kind: 'malformed' });
  });

  test('a fault of the handler ends it, and the process goes on', async () => {
    const server = await serve([supervisors(async () => Promise.reject(new Error('secret')))]);
    const stream = openStream(link(server), supervisor.session);
    expect(await stream.closed).toEqual(failure('not-ready', 'INTERNAL: internal error'));
  });

  test('a server that cannot be reached is a failure of the stream, not an error', async () => {
    const server = await serve([drivers({})]);
    await server.close(0);
    expect(await openStream(link(server), supervisor.session).closed).toMatchObject({ kind: 'not-ready' });
  });
});

describe('a stream of answers', () => {
  test('arrives whole, even to a slow reader', async () => {
    const server = await serve([
      drivers({
        watchSandboxes: async (_request, stream) => {
          for (let index = 0; index < 100; index += 1)
            stream.send({ event: { $case: 'removed', value: { workspace: 'w', sandbox: `s${index}`, runtimeId: 'r' } } });
          return ok(undefined);
        },
      }),
    ]);
    const stream = openServerStream(link(server), driver.watchSandboxes, {});
    let count = 0;
    for await (const _event of stream.received) {
      count += 1;
      await new Promise(setImmediate);
    }
    expect(count).toBe(100);
    expect(await stream.closed).toBeUndefined();
  });
});

describe('files that change', () => {
  test('are used for new connections; a broken pair is refused and the old one stays', async () => {
    const rolling = createTestAuthority();
    undo.push(() => rolling.remove());
    const first = rolling.issue('driver', spiffe('driver'));
    const tls = await source(first, 10);
    const server = await serve([drivers({ getSandbox: async () => ok({ workload: undefined }) })], { tls });
    const clientFiles = rolling.issue('gateway', spiffe('gateway'));
    const client = await source(clientFiles, 10);
    expect(await ask(link(server, { tls: client }))).toMatchObject({ ok: true });

    const serial = async (): Promise<string> => {
      const socket = connectTls({
        host: '127.0.0.1',
        port: server.address.port,
        rejectUnauthorized: false,
        ALPNProtocols: ['h2'],
      });
      await once(socket, 'secureConnect');
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    const before = await serial();
    writeFileSync(first.keyFile, 'not a key');
    await vi.waitFor(() => expect(tls.problem()).toMatch(/not a PEM file/));
    expect(await ask(link(server, { tls: client }))).toMatchObject({ ok: true });
    expect(await serial()).toBe(before);

    copyFileSync(clientFiles.keyFile, first.keyFile);
    await vi.waitFor(() => expect(tls.problem()).toMatch(/do not belong together/));
    rolling.issue('driver', spiffe('driver'));
    await vi.waitFor(async () => expect(await serial()).not.toBe(before));
    expect(tls.problem()).toBeUndefined();
    expect(await ask(link(server, { tls: client }))).toMatchObject({ ok: true });

    rolling.issue('gateway', spiffe('edge'));
    await vi.waitFor(async () =>
      expect(await ask(link(server, { tls: client }))).toMatchObject({ error: { kind: 'forbidden' } }),
    );
  });

  test.each([
    ['a file that is missing', { caFile: '/nowhere/ca.crt' }, /cannot be read \(ENOENT\)/],
    ['a CA that is none', { caFile: '/etc/hostname' }, /not a PEM file/],
  ])('must be well at the start: %s', async (_title, files, why) => {
    expect(await openTlsFiles(files)).toEqual({ ok: false, error: expect.stringMatching(why) });
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
  });
});
