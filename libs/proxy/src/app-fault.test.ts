import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, type AppSocket, respond, startApp } from './testing/app.ts';
import type { RawClient } from './testing/client.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
let stage: Stage;
let app: App;
let act: (connection: AppSocket) => void;

beforeEach(async () => {
  stage = await startStage();
  app = await startApp((connection) => {
    if (connection.received().includes('/fine')) connection.socket.write(respond('fine'));
    else if (connection.received().includes('\r\n\r\n')) act(connection);
  });
  stage.sandbox('s1', { web: app.port });
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

const GET = `GET /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
const WEBSOCKET =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

async function nextRequestIsServed(): Promise<void> {
  const client = await stage.connect(HOST);
  client.send(`GET /fine HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await client.sees('fine');
}

describe('an answer that breaks the rules is a 502', () => {
  const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nextra';
  const rows: [title: string, answer: string, request?: string][] = [
    ['two framings', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhello'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nok'],
    ['a control byte', 'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    ['CR inside a field', 'HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: evil=1\r\nContent-Length: 2\r\n\r\nok'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a status out of range', 'HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok'],
    ['a head of a megabyte', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(1_000_000)}\r\n\r\n`],
    ['101 to a plain GET', SWITCH],
    ['101 to a POST', SWITCH, `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 2\r\n\r\nab`],
    [
      '101 to h2c',
      SWITCH,
      `GET /x HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n`,
    ],
    ['101 to a handshake with POST', SWITCH, `POST /x HTTP/1.1\r\nHost: ${HOST}\r\n${WEBSOCKET}Content-Length: 0\r\n\r\n`],
  ];
  test.each(rows)('%s', async (_title, answer, request = GET) => {
    act = ({ socket }) => socket.write(Buffer.from(answer, 'latin1'));
    const client = await stage.connect(HOST);
    client.send(request);
    await client.sees('sallyport-error: app_protocol');
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 /);
    expect(client.received()).not.toMatch(/evil|extra/);
    await until('application connection closed', () => app.openCount() === 0);
    await nextRequestIsServed();
    expect(stage.records[0]).toMatchObject({ ending: 'refused', code: 'app_protocol', status: 502 });
  });

  test.each<[title: string, end: (connection: AppSocket) => void]>([
    ['FIN instead of an answer', ({ socket }) => socket.end()],
    ['a reset instead of an answer', ({ socket }) => socket.resetAndDestroy()],
    ['FIN inside the head', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['103 and then FIN', ({ socket }) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('%s', async (_title, end) => {
    act = end;
    const client = await stage.connect(HOST);
    client.send(GET);
    await client.sees('sallyport-error: app_protocol');
    expect(client.received()).toMatch(/HTTP\/1\.1 502 /);
    await nextRequestIsServed();
  });
});

describe('an answer that has begun and breaks off is seen to be unfinished', () => {
  const rows: [title: string, begin: string, sign: string, end: (connection: AppSocket) => void][] = [
    ['a length, reset', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'half', ({ socket }) => socket.resetAndDestroy()],
    ['a length, FIN', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'half', ({ socket }) => socket.end()],
    [
      'chunks, FIN after a whole one',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      'hello',
      ({ socket }) => socket.end(),
    ],
    [
      'until close, reset',
      'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npart of it',
      'part of it',
      ({ socket }) => socket.resetAndDestroy(),
    ],
    [
      'a chunk size that is none',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n',
      'ok',
      ({ socket }) => socket.write('ZZ\r\nhello\r\n'),
    ],
  ];
  test.each(rows)('%s', async (_title, begin, sign, end) => {
    act = ({ socket }) => socket.write(begin);
    const client = await stage.connect(HOST);
    client.send(GET);
    await client.sees(sign);
    const [connection] = app.connections;
    if (connection !== undefined) end(connection);
    await client.isOver();
    expect(client.received()).not.toMatch(/0\r\n\r\n$/);
    expect(['app-gone', 'app-protocol']).toContain(stage.records[0]?.ending);
    await nextRequestIsServed();
  });

  test('until close for an HTTP/1.0 client, which needs a reset to see it', async () => {
    act = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npart of it');
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('part of it');
    app.connections[0]?.socket.resetAndDestroy();
    await until('closed', () => client.closed());
    expect(client.error()).toBe('ECONNRESET');
  });

  test('a reset during an upload is a 502 that the client can read', async () => {
    act = ({ socket }) => {
      socket.pause();
      setImmediate(() => socket.resetAndDestroy());
    };
    const client = await stage.connect(HOST);
    client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5000000\r\n\r\n`);
    client.send(Buffer.alloc(5_000_000));
    await client.isOver();
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 [\s\S]*\}\n$/);
  });
});

describe('a client that leaves is seen by the application', () => {
  type Leave = [title: string, leave: (client: RawClient) => void];
  const ways: Leave[] = [
    ['closes TLS and TCP', (client) => client.socket.end()],
    ['destroys its socket', (client) => client.socket.destroy()],
    ['resets', (client) => client.reset()],
  ];

  test.each(ways)('who %s while it is thinking', async (_title, leave) => {
    act = () => {};
    const client = await stage.connect(HOST);
    client.send(GET);
    await until('request there', () => app.received().endsWith('\r\n\r\n'));
    leave(client);
    await until('closed there', () => app.openCount() === 0, 1_000);
    expect(stage.records).toMatchObject([{ ending: 'client-gone', status: 0 }]);
  });

  test.each(ways)('who %s during an event stream', async (_title, leave) => {
    act = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
    const client = await stage.connect(HOST);
    client.send(GET);
    await client.sees('a\r\n');
    leave(client);
    await until('closed there', () => app.openCount() === 0, 1_000);
  });

  test.each(ways)('who %s in the middle of an upload', async (_title, leave) => {
    act = () => {};
    const client = await stage.connect(HOST);
    client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await until('part of it there', () => app.received().includes('hello'));
    leave(client);
    await until('closed there', () => app.openCount() === 0, 1_000);
    expect(app.received()).not.toMatch(/0\r\n\r\n$/);
  });

  test('who resets a download that it does not read', async () => {
    act = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 64000000\r\n\r\n');
      socket.write(Buffer.alloc(64_000_000));
    };
    const client = await stage.connect(HOST);
    client.socket.pause();
    client.send(GET);
    let last = -1;
    await until('the application is held back', () => {
      const written = app.connections[0]?.socket.bytesWritten ?? 0;
      const pending = app.connections[0]?.socket.writableLength ?? 0;
      const still = written > 1_000 && pending > 0 && written - pending === last;
      last = written - pending;
      return still;
    });
    client.reset();
    await until('closed there', () => app.connections[0]?.closed() === true, 1_000);
  });
});
