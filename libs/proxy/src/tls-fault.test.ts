import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { ok } from '@sallyport/model';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Connector } from './connector.ts';
import { type App, startApp } from './testing/app.ts';
import { makePair } from './testing/certificate.ts';
import { type RawClient, secure } from './testing/client.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

/**
 * What comes after the handshake and is no record of TLS, or not from this client: TLS answers it with an alert, after which nothing can be
 * read or written, and both sides must close (RFC 8446 section 6.2). Node does not do so by itself.
 */

const HOST = hostNamed('web');
const ACCEPTED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const upgrade = (host: string): string =>
  `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
const FAULTS: [title: string, bytes: Buffer][] = [
  ['a forged record', Buffer.concat([Buffer.from([0x17, 3, 3, 0, 40]), Buffer.alloc(40, 7)])],
  ['no record', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
];

let stage: Stage;
let app: App;
let raw: Socket;

beforeEach(async () => {
  stage = await startStage();
  app = await startApp(({ socket, received }) => {
    if (received().includes('Upgrade: websocket')) socket.write(ACCEPTED);
  });
  stage.sandbox('s1', { web: app.port });
});
afterEach(async () => {
  raw.destroy();
  await stage.close();
  await app.close();
});

async function client(maxVersion: 'TLSv1.2' | 'TLSv1.3', host = HOST): Promise<RawClient> {
  raw = connect({ host: '127.0.0.1', port: stage.listener.port, noDelay: true, allowHalfOpen: true });
  await once(raw, 'connect');
  return secure(raw, host, { maxVersion });
}

const cases = (['TLSv1.2', 'TLSv1.3'] as const).flatMap((version) =>
  FAULTS.map(([title, bytes]) => [title, version, bytes] as const),
);

test.each(cases)('%s ends an idle connection, %s', async (_title, version, bytes) => {
  await client(version);
  raw.write(bytes);
  await until('it is closed', () => stage.listener.connectionCount() === 0);
});

test.each(cases)('%s ends the exchange, %s', async (_title, version, bytes) => {
  const { send } = await client(version);
  send(`GET /never HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await until('it is asked', () => app.received().includes('\r\n\r\n'));
  raw.write(bytes);
  await until('it is closed', () => stage.listener.connectionCount() === 0);
  await until('the application is let go', () => app.openCount() === 0);
  expect(stage.records).toMatchObject([{ kind: 'http', ending: 'client-gone' }]);
});

test.each(cases)('%s ends the tunnel, %s', async (_title, version, bytes) => {
  const { send, sees } = await client(version);
  send(upgrade(HOST));
  await sees('101 Switching');
  raw.write(bytes);
  await until('it is closed', () => stage.listener.connectionCount() === 0);
  await until('the application is let go', () => app.openCount() === 0);
  expect(stage.records).toMatchObject([{ kind: 'tunnel', ending: 'client-gone' }]);
});

/** The way over TLS that a boundary is. */
const overTls: Connector = {
  async dial(port) {
    // Node takes `allowHalfOpen` here, its types do not know it.
    const half: object = { allowHalfOpen: true };
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...half });
    await once(socket, 'secureConnect');
    return ok(socket);
  },
};

test.each(FAULTS)('%s on the way to the application ends that way, a tunnel’s too', async (_title, bytes) => {
  const beneath: Socket[] = [];
  const tls = createTlsServer(makePair(['app.test']), (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(ACCEPTED));
  });
  const tcp = createServer((socket) => {
    beneath.push(socket.on('error', () => {}));
    tls.emit('connection', socket);
  });
  tcp.listen({ host: '127.0.0.1', port: 0 });
  await once(tcp, 'listening');
  const host = hostNamed('beyond');
  stage.sandbox('s2', { beyond: (tcp.address() as AddressInfo).port }, overTls);

  const { send, sees } = await client('TLSv1.3', host);
  send(upgrade(host));
  await sees('101 Switching');
  beneath[0]?.write(bytes);
  await until('the way is closed', () => beneath.every((socket) => socket.destroyed));
  await until('it is recorded', () => stage.records.length === 1);
  expect(stage.records).toMatchObject([{ kind: 'tunnel', ending: 'app-gone' }]);
  tcp.close();
});
