import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { ManualClock } from '@sallyport/process/manual-clock';
import { alertRecord } from '@sallyport/tls-hello';
import { extension, hello, padding, records, serverName, serverNames, versions } from '@sallyport/tls-hello/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseCidrs } from './cidr.ts';
import { DEFAULT_LIMITS, TICK_MS } from './limits.ts';
import { type App, answerEach, respond, startApp } from './testing/app.ts';
import { connectPlain, connectTls } from './testing/client.ts';
import { hostNamed, type Stage, type StageOptions, startManualStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
let app: App;
let stage: Stage<ManualClock>;

beforeEach(async () => {
  app = await startApp(answerEach(() => respond('served')));
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

async function start(options: StageOptions = {}): Promise<void> {
  stage = await startManualStage(options);
  stage.sandbox('s1', { web: app.port });
}
const ask = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

describe('a hello in pieces', () => {
  let relay: Server;
  afterEach(() => relay.close());

  /** Between a client and the listener: `passOn` has what the client says first, and the way on. */
  async function between(passOn: (client: Socket, server: Socket) => void): Promise<number> {
    relay = createServer((client) => {
      const server = connect({ port: stage.listener.port, host: '127.0.0.1', noDelay: true });
      server.on('error', () => {});
      client.on('error', () => {});
      passOn(client, server);
      server.pipe(client);
      client.on('close', () => server.destroy());
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    return (relay.address() as AddressInfo).port;
  }

  /** Passes on so many of a client's first bytes, the rest once `more` has been called. */
  async function hesitate(first: number, before: Buffer = Buffer.alloc(0)): Promise<{ port: number; more: () => void }> {
    const asked = Promise.withResolvers<void>();
    const port = await between((client, server) =>
      client.once('data', (chunk: Buffer) => {
        const all = Buffer.concat([before, chunk]);
        server.write(all.subarray(0, first));
        client.pause();
        void asked.promise.then(() => {
          server.write(all.subarray(first));
          client.pipe(server);
        });
      }),
    );
    return { port, more: asked.resolve };
  }

  test.each([1, 4, 5, 6, 9, 43, 100, 200])(
    'may stop after %i bytes: others are served meanwhile, and so is it',
    async (first) => {
      await start();
      const { port, more } = await hesitate(first);
      const slow = connectTls(port, HOST);
      await until('accepted', () => stage.listener.connectionCount() === 1);
      const other = await stage.connect(HOST);
      other.send(ask);
      await other.sees('served');
      more();
      const client = await slow;
      client.send(ask);
      await client.sees('served');
      client.socket.destroy();
    },
  );

  test.each([10, 28, 29, 33, 60])('and behind a PROXY header, after %i bytes of both', async (first) => {
    const loopback = parseCidrs(['127.0.0.0/8']);
    if (!loopback.ok) throw new Error(loopback.error);
    await start({ trusted: loopback.value });
    const { port, more } = await hesitate(first, Buffer.from('0d0a0d0a000d0a515549540a2111000ccb0071097f000001040101bb', 'hex'));
    const slow = connectTls(port, HOST);
    await until('accepted', () => stage.listener.connectionCount() === 1);
    const other = await stage.connect(HOST);
    other.send(ask);
    await other.sees('served');
    more();
    const client = await slow;
    client.send(ask);
    await client.sees('served');
    expect(stage.records.map((record) => record.client)).toContain('203.0.113.9');
    client.socket.destroy();
  });

  test('byte by byte, all of it', async () => {
    await start();
    const port = await between((client, server) =>
      client.on('data', (chunk: Buffer) => {
        for (const byte of chunk) server.write(Uint8Array.of(byte));
      }),
    );
    const client = await connectTls(port, HOST);
    client.send(ask);
    await client.sees('served');
    client.socket.destroy();
  });
});

describe('is answered by an alert, counted once, and without any handshake:', () => {
  const served = serverName(HOST);
  const rows: [title: string, bytes: Uint8Array, alert: Uint8Array, event: string][] = [
    ['no server name', records(hello({ extensions: [versions] })), alertRecord('missingExtension'), 'name-unknown'],
    ['no extensions at all', records(hello({ extensions: undefined })), alertRecord('missingExtension'), 'name-unknown'],
    [
      'a name that is none',
      records(hello({ extensions: [serverName('a'.repeat(256))] })),
      alertRecord('unrecognizedName'),
      'name-unknown',
    ],
    [
      'a name that nobody serves',
      records(hello({ extensions: [serverName('nobody.apps.test')] })),
      alertRecord('unrecognizedName'),
      'name-unknown',
    ],
    ['two server names', records(hello({ extensions: [served, served] })), alertRecord('decodeError'), 'handshake-failed'],
    ['an empty list of names', records(hello({ extensions: [serverNames([])] })), alertRecord('decodeError'), 'handshake-failed'],
    [
      'an extension that is longer than the rest',
      records(hello({ extensions: [served, extension(21, [0], 2)] })),
      alertRecord('decodeError'),
      'handshake-failed',
    ],
    ['a record of no bytes', Uint8Array.of(22, 3, 1, 0, 0), alertRecord('decodeError'), 'handshake-failed'],
    ['a ServerHello', records(hello({ messageType: 2 })), alertRecord('decodeError'), 'handshake-failed'],
    [
      'a hello of 20,000 bytes',
      records(hello({ extensions: [served, padding(20_000)] })),
      alertRecord('internalError'),
      'handshake-failed',
    ],
  ];
  test.each(rows)('%s', async (_title, bytes, alert, event) => {
    await start();
    const client = connectPlain(stage.listener.port);
    client.send(bytes);
    await client.isOver();
    expect(Buffer.from(client.received(), 'latin1')).toEqual(Buffer.from(alert));
    // It stays, reads nothing and says nothing: what is left is cut in time, and that is no other fault.
    stage.clock.advance(DEFAULT_LIMITS.handshakeMs + TICK_MS);
    await until('closed', () => stage.listener.connectionCount() === 0);
    expect(stage.events).toEqual(['accepted', event, 'closed']);
    expect(stage.records).toEqual([]);
  });
});

test('a hello that is whole, and then nothing, is cut in time and counted so', async () => {
  await start();
  const client = connectPlain(stage.listener.port);
  client.send(records(hello({ extensions: [serverName(HOST), versions] })));
  await until('accepted', () => stage.listener.connectionCount() === 1);
  stage.clock.advance(DEFAULT_LIMITS.handshakeMs + TICK_MS);
  await client.isOver();
  await until('closed', () => stage.listener.connectionCount() === 0);
  expect(stage.events.filter((event) => event !== 'handshake-failed')).toEqual(['accepted', 'handshake-timeout', 'closed']);
});
