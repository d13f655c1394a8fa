import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, type AppSocket, respond, startApp } from './testing/app.ts';
import type { RawClient } from './testing/client.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
const ACCEPTED =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';
const KEY = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const handshake = (fields = `Connection: Upgrade\r\nUpgrade: websocket\r\n${KEY}`, behind = ''): string =>
  `GET /ws HTTP/1.1\r\nHost: ${HOST}\r\n${fields}\r\n${behind}`;

let stage: Stage;
let app: App;
/** What the application does with the handshake; what follows it receives as bytes. */
let onHandshake: (connection: AppSocket) => void;
let onBytes: (connection: AppSocket, chunk: Buffer) => void;

beforeEach(async () => {
  stage = await startStage();
  onHandshake = ({ socket }) => socket.write(ACCEPTED);
  onBytes = ({ socket }, chunk) => socket.write(chunk);
  const greeted = new Set<AppSocket>();
  app = await startApp((connection, chunk) => {
    if (greeted.has(connection)) return onBytes(connection, chunk);
    if (!connection.received().includes('\r\n\r\n')) return;
    greeted.add(connection);
    onHandshake(connection);
    const behind = connection.received().split('\r\n\r\n')[1] ?? '';
    if (behind !== '') onBytes(connection, Buffer.from(behind, 'latin1'));
  });
  stage.sandbox('s1', { web: app.port });
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

async function openTunnel(): Promise<RawClient> {
  const client = await stage.connect(HOST);
  client.send(handshake());
  await client.sees('\r\n\r\n');
  expect(client.received()).toMatch(/^HTTP\/1\.1 101 /);
  return client;
}

describe('a tunnel', () => {
  test('passes bytes both ways and is recorded at its end', async () => {
    const client = await openTunnel();
    client.send('one');
    await client.sees('one');
    client.socket.end();
    await until('end there', () => app.openCount() === 0);
    app.connections[0]?.socket.end();
    await client.isOver();
    await until('record', () => stage.records.length === 1);
    expect(stage.records).toMatchObject([{ kind: 'tunnel', status: 101, ending: 'complete', bytesIn: 3, bytesOut: 3 }]);
  });

  test('takes along what came with the handshake', async () => {
    const client = await stage.connect(HOST);
    client.send(handshake(undefined, '\x81\x82hi'));
    await client.sees('\x81\x82hi');
  });

  test('takes along what came with the 101', async () => {
    onHandshake = ({ socket }) => socket.write(Buffer.from(`${ACCEPTED}\x81\x02hi`, 'latin1'));
    const client = await stage.connect(HOST);
    client.send(handshake());
    await client.sees('\r\n\r\n\x81\x02hi');
  });

  test('is byte-exact with megabytes each way at once', async () => {
    const [up, down] = [randomBytes(8_000_000), randomBytes(8_000_000)];
    const [gotUp, gotDown]: [Buffer[], Buffer[]] = [[], []];
    onBytes = (_connection, chunk) => gotUp.push(chunk);
    const client = await openTunnel();
    client.socket.on('data', (chunk: Buffer) => gotDown.push(chunk));
    client.send(up);
    app.connections[0]?.socket.write(down);
    const size = (chunks: Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0);
    await until('all there', () => size(gotUp) >= up.length && size(gotDown) >= down.length, 30_000);
    expect(Buffer.concat(gotUp).equals(up)).toBe(true);
    expect(Buffer.concat(gotDown).equals(down)).toBe(true);
  });

  test('half-closed by the client still delivers what the application has to say', async () => {
    const client = await openTunnel();
    client.socket.end();
    await until('end there', () => app.openCount() === 0);
    app.connections[0]?.socket.write('PAYLOAD');
    await client.sees('PAYLOAD');
    app.connections[0]?.socket.end();
    await client.isOver();
  });

  test('half-closed by the application still delivers what the client has to say', async () => {
    const client = await openTunnel();
    app.connections[0]?.socket.end();
    await client.isOver();
    client.send('PAYLOAD');
    await until('there', () => app.received().endsWith('PAYLOAD'));
  });

  test('ends at the application when the client resets', async () => {
    const client = await openTunnel();
    client.reset();
    await until('closed there', () => app.openCount() === 0, 1_000);
    expect(stage.records).toMatchObject([{ ending: 'client-gone' }]);
  });

  test('ends at the client when the application resets', async () => {
    const client = await openTunnel();
    app.connections[0]?.socket.resetAndDestroy();
    await until('closed here', () => client.closed(), 1_000);
    expect(stage.records).toMatchObject([{ ending: 'app-gone' }]);
  });

  test('holds the application back while its client does not read', async () => {
    const client = await openTunnel();
    client.socket.pause();
    app.connections[0]?.socket.write(Buffer.alloc(100_000_000));
    await until('held back', () => (app.connections[0]?.socket.writableLength ?? 0) > 0);
    client.socket.resume();
    await until('all here', () => client.receivedBytes() > 100_000_000, 60_000);
  });
});

describe('a handshake is recognised', () => {
  test.each([
    ['in other capitals', `connection: UPGRADE\r\nUpgrade: WebSocket\r\n${KEY}`],
    ['among other tokens', `Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n${KEY}`],
    ['in a second field', `Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${KEY}`],
  ])('%s', async (_title, fields) => {
    const client = await stage.connect(HOST);
    client.send(handshake(fields));
    await client.sees(' 101 ');
    client.send('echo');
    await client.sees('echo');
  });
});

describe('no tunnel, ever, from', () => {
  test.each([
    ['the word inside another token', `Connection: keep-alive, upgrade-insecure-requests\r\nUpgrade: websocket\r\n${KEY}`],
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'],
    ['another protocol', 'Connection: Upgrade\r\nUpgrade: custom\r\n'],
    ['a handshake with a body', `Connection: Upgrade\r\nUpgrade: websocket\r\n${KEY}Content-Length: 5\r\n`],
  ])('%s', async (_title, fields) => {
    const client = await stage.connect(HOST);
    client.send(handshake(fields, 'hello'));
    await client.sees('HTTP/1.1 ');
    expect(client.received()).not.toContain(' 101 ');
  });
});

describe('a refused handshake', () => {
  test.each([
    ['403 with a length', respond('nope', 'X-Why: no\r\n', '403 Forbidden'), 'nope'],
    [
      '426 that keeps its Upgrade',
      respond('nope', 'Connection: Upgrade\r\nUpgrade: foo/2\r\n', '426 Upgrade Required'),
      'Upgrade: foo/2',
    ],
    [
      '401 in chunks',
      'HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwho\r\n4\r\n are\r\n0\r\n\r\n',
      ' are\r\n0\r\n\r\n',
    ],
  ])('%s reaches the client, and the next request is served', async (_title, answer, sign) => {
    onHandshake = ({ socket }) => socket.write(answer);
    const client = await stage.connect(HOST);
    client.send(handshake());
    await client.sees(sign);
    await until('application connection closed', () => app.openCount() === 0);
    onHandshake = ({ socket }) => socket.write(respond('next'));
    client.send(`GET /next HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('next');
  });

  test('with a request hidden behind it: that one is a request of its own', async () => {
    onHandshake = ({ socket }) => socket.write(respond('nope', '', '403 Forbidden'));
    const client = await stage.connect(HOST);
    client.send(handshake(undefined, `GET /hidden HTTP/1.1\r\nHost: ${HOST}\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n`));
    await until('both answered', () => stage.records.length === 2);
    expect(app.received()).not.toContain('6.6.6.6');
    expect(app.connections).toHaveLength(2);
  });

  test('a thousand of them leave no socket', async () => {
    onHandshake = ({ socket }) => socket.write(respond('no', '', '403 Forbidden'));
    const clients = await Promise.all(Array.from({ length: 20 }, () => stage.connect(HOST)));
    for (let round = 1; round <= 50; round += 1) {
      for (const client of clients) client.send(handshake());
      await until('all answered', () => stage.records.length === 20 * round);
    }
    for (const client of clients) client.socket.destroy();
    await until('nothing open', () => app.openCount() === 0 && stage.listener.connectionCount() === 0);
    expect(app.connections).toHaveLength(1_000);
  });

  test('the client leaves before the 101: the application sees it', async () => {
    onHandshake = () => {};
    const client = await stage.connect(HOST);
    client.send(handshake());
    await until('handshake there', () => app.received().includes('\r\n\r\n'));
    client.reset();
    await until('closed there', () => app.openCount() === 0, 1_000);
  });
});
