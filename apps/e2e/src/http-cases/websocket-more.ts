import { deepEqual, equal, ok } from 'node:assert/strict';
import { fieldOf, statusOf } from '../stage/message.ts';
import { HOST_TWIN } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal } from './expect.ts';
import { framed, get, HIDDEN } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';
import { acceptAll, handshake, KEY, last, openTunnel, passesBothWays, plain, switched } from './tunnel-makers.ts';

const BASE = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n`;
const WS = `Connection: Upgrade\r\nUpgrade: websocket\r\n${BASE}`;

const malformed = (id: string, title: string, bytes: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart(acceptAll);
      const client = await stage.open();
      checkRefusal(await client.ask(bytes), 400, 'bad_request');
      await client.isOver(3_000);
      stage.nothingArrived();
    },
    { ways: PARSED },
  );

/** Neighbours of the section on WebSocket: what is no handshake, and how a tunnel ends. */
export const webSocketMore: readonly Row[] = [
  plain(
    'ws-n01',
    'a handshake with a body by Content-Length, which hides a request',
    framed(`${WS}Content-Length: ${HIDDEN.length}\r\n`, HIDDEN, 'GET'),
  ),
  plain('ws-n02', 'a handshake with a chunked body', framed(`${WS}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n', 'GET')),
  plain('ws-n03', 'a handshake with HEAD', handshake().replace('GET', 'PUT')),
  plain('ws-n04', 'Upgrade without Connection', get('/x/ws', `Upgrade: websocket\r\n${BASE}`)),
  plain('ws-n05', 'Connection: Upgrade without Upgrade', get('/x/ws', `Connection: Upgrade\r\n${BASE}`)),
  plain('ws-n06', 'two protocols in Upgrade', get('/x/ws', `Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n${BASE}`)),
  plain(
    'ws-n07',
    'two Upgrade fields',
    get('/x/ws', `Connection: Upgrade\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n${BASE}`),
  ),
  plain('ws-n08', 'a version behind the protocol', get('/x/ws', `Connection: Upgrade\r\nUpgrade: websocket/13\r\n${BASE}`)),
  plain('ws-n09', 'Upgrade: TLS/1.0', get('/x/ws', 'Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n')),
  plain('ws-n10', 'an empty Upgrade', get('/x/ws', `Connection: Upgrade\r\nUpgrade:\r\n${BASE}`)),
  malformed('ws-n11', 'a key that is too short', handshake().replace(KEY, 'c2hvcnQ=')),
  malformed('ws-n12', 'a key that is no Base64', handshake().replace(KEY, '!!!!!!!!!!!!!!!!!!!!!!=='.padEnd(24, '='))),
  malformed('ws-n13', 'two keys', handshake(`Sec-WebSocket-Key: ${KEY}\r\n`)),
  malformed('ws-n14', 'no version', handshake().replace('Sec-WebSocket-Version: 13\r\n', '')),
  malformed('ws-n15', 'two versions', handshake('Sec-WebSocket-Version: 13\r\n')),
  row(
    'ws-n16',
    'another version is the application’s to refuse',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.respond('13', { status: '426 Upgrade Required', fields: 'Sec-WebSocket-Version: 13\r\n' }),
      );
      const client = await stage.open();
      const answer = await client.ask(handshake().replace('Version: 13', 'Version: 12'));
      checkAnswer(answer, 426, '13');
      equal(fieldOf(answer, 'sec-websocket-version'), '13');
    },
    { ways: PARSED },
  ),
  row(
    'ws-n17',
    'bytes behind a handshake that is refused by the proxy are no request',
    async (stage) => {
      stage.web.restart(acceptAll);
      const client = await stage.open();
      client.send(handshake().replace(KEY, 'x') + get('/SMUGGLED-T'));
      checkRefusal(await client.answer(), 400, 'bad_request');
      await client.isOver(3_000);
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  row(
    'ws-n18',
    'interim answers before the 101',
    async (stage) => {
      stage.web.restart((exchange) => exchange.upgrade(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${switched()}`));
      const { client, tunnel } = await openTunnel(stage);
      await passesBothWays(stage, client, tunnel);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'ws-n19',
    'the 101 in pieces of one byte, and a frame right behind it',
    async (stage) => {
      stage.web.restart((exchange) => {
        exchange.upgrade('');
        for (const byte of `${switched()}\x81\x02hi`) exchange.send(byte);
      });
      const { tunnel } = await openTunnel(stage);
      await tunnel.sees('\x81\x02hi');
      equal(tunnel.byteCount(), 4);
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  row('ws-n20', 'fields of the 101 obey the rules of answers', async (stage) => {
    stage.web.restart((exchange) =>
      exchange.upgrade(
        switched(
          'Keep-Alive: timeout=9\r\nsallyport-error: x\r\nSet-Cookie: a=1; Domain=apps.test\r\nContent-Length: 5\r\nX-Stays: 1\r\n',
        ),
      ),
    );
    const { answer, client, tunnel } = await openTunnel(stage);
    deepEqual(
      answer.fields.map(([name]) => name),
      ['Upgrade', 'Sec-WebSocket-Accept', 'Set-Cookie', 'X-Stays', 'Connection'],
    );
    equal(fieldOf(answer, 'set-cookie'), 'a=1');
    await passesBothWays(stage, client, tunnel);
  }),
  row(
    'ws-n21',
    'the application half-closes: late bytes of the client still reach it',
    async (stage) => {
      stage.web.restart((exchange) => {
        exchange.upgrade(switched(), { outlives: true });
        exchange.connection.socket.end('bye');
      });
      const { client, tunnel } = await openTunnel(stage);
      await tunnel.sees('bye');
      await client.isOver(2_000);
      client.write('late');
      await until('the late bytes arrive', () => last(stage)?.tunnel().toString() === 'late');
      client.socket.end();
      await until('the application sees the end', () => last(stage)?.ended() === true, 1_700);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'ws-n22',
    'a half-closed tunnel ends after its grace',
    async (stage) => {
      stage.web.restart((exchange) => exchange.upgrade(switched(), { outlives: true }));
      const { client } = await openTunnel(stage);
      client.socket.end();
      await client.isOver(4_000);
      // It has our end already; what tells it the rest is that nobody takes what it writes.
      await until('the application sees it', () => {
        last(stage)?.socket.write('too late');
        return last(stage)?.closed() === true;
      });
    },
    { limits: { tunnelHalfClosedMs: 400 } },
  ),
  row(
    'ws-n23',
    'a silent tunnel ends after its time, a talking one does not',
    async (stage) => {
      stage.web.restart(acceptAll);
      const silent = await openTunnel(stage);
      const talking = await openTunnel(stage);
      let talks = true;
      const talk = (async () => {
        for (; talks; await pause(100)) talking.client.write('x');
      })();
      await silent.client.isOver(4_000);
      equal(talking.client.over(), 'open');
      talks = false;
      await talk;
    },
    { limits: { tunnelSilenceMs: 1_000 } },
  ),
  row('ws-n24', 'a tunnel holds the client back while the application does not read', async (stage) => {
    stage.web.restart((exchange) => {
      exchange.upgrade(switched());
      exchange.connection.socket.pause();
    });
    const { client } = await openTunnel(stage);
    const body = Buffer.alloc(48 * 1_024 * 1_024, 'x');
    client.write(body);
    let left = 0;
    let stillSince = performance.now();
    await until('the client is held back', () => {
      if (client.socket.writableLength !== left) stillSince = performance.now();
      left = client.socket.writableLength;
      return performance.now() - stillSince > 300;
    });
    ok(left > 24 * 1_024 * 1_024, 'most of it is still at the client');
    last(stage)?.socket.resume();
    await until('all of it arrives', () => last(stage)?.tunnelByteCount() === body.length, 20_000);
  }),
  row(
    'ws-n25',
    'a tunnel on a connection that carried requests before, and nothing after it',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.target === '/x/ws' ? exchange.upgrade(switched()) : exchange.respond(exchange.target),
      );
      const client = await stage.open();
      for (const path of ['/1', '/2']) checkAnswer(await client.ask(get(path)), 200, path);
      equal(statusOf(await client.ask(handshake())), 101);
      client.write(get('/SMUGGLED-T'));
      await until('the bytes are the tunnel’s', () => last(stage)?.tunnel().toString().startsWith('GET /SMUGGLED-T') === true);
      equal(stage.web.requests().length, 3);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row('ws-n26', 'a tunnel uses no connection that another request may use later', async (stage) => {
    stage.web.restart((exchange) => (exchange.target === '/x/ws' ? exchange.upgrade(switched()) : exchange.respond('ok')));
    const { client } = await openTunnel(stage);
    client.close();
    const other = await stage.open();
    for (let n = 0; n < 5; n++) checkAnswer(await other.ask(get('/x')), 200, 'ok');
  }),
  row('ws-n27', 'tunnels of two sandboxes on one application port stay apart', async (stage) => {
    stage.web.restart((exchange) => exchange.upgrade(switched() + (fieldOf(exchange.request, 'host') ?? '')));
    const [a, b] = [await stage.open(), await stage.open({ servername: HOST_TWIN })];
    equal(statusOf(await a.ask(handshake())), 101);
    equal(statusOf(await b.ask(handshake('', '/x/ws', HOST_TWIN))), 101);
    const [atA, atB] = [a.tunnel(), b.tunnel()];
    await atB.sees(HOST_TWIN);
    ok(!atA.bytes().includes(HOST_TWIN));
    stage.sandboxes.twin.instance.withdraw([], 'withdrawn');
    equal(a.over(), 'open');
  }),
];
