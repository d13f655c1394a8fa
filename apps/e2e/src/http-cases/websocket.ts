import { deepEqual, equal } from 'node:assert/strict';
import { type FieldLine, fieldOf, type Message, statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkSeen } from './expect.ts';
import { get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';
import {
  ACCEPT,
  acceptAll,
  DOWN,
  handshake,
  KEY,
  last,
  openTunnel,
  passesBothWays,
  refusal,
  SECOND_MS,
  switched,
  UP,
  WAYS,
} from './tunnel-makers.ts';

export const webSocket: readonly Row[] = [
  row(
    'ws-01',
    'handshake: what the application and the client see',
    async (stage) => {
      const sent: readonly FieldLine[] = [
        ['Origin', `https://${HOST}`],
        ['Cookie', 'a=1; b=2'],
        ['Sec-WebSocket-Extensions', 'permessage-deflate; client_max_window_bits'],
        ['User-Agent', 'x/1'],
      ];
      stage.web.restart((exchange) =>
        exchange.upgrade(
          switched('Sec-WebSocket-Extensions: permessage-deflate\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2; HttpOnly\r\n'),
        ),
      );
      const { answer, client, tunnel } = await openTunnel(
        stage,
        handshake(sent.map(([name, value]) => `${name}: ${value}\r\n`).join('')),
      );
      checkSeen(stage.web.requests()[0], {
        has: [
          ['Upgrade', 'websocket'],
          ['Connection', 'Upgrade'],
          ['Sec-WebSocket-Version', '13'],
          ['Sec-WebSocket-Key', KEY],
          ...sent,
        ],
      });
      deepEqual(answer.fields, [
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Accept', ACCEPT],
        ['Sec-WebSocket-Extensions', 'permessage-deflate'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2; HttpOnly'],
        ['Connection', 'Upgrade'],
      ]);
      await passesBothWays(stage, client, tunnel);
    },
    { ways: WAYS },
  ),
  row(
    'ws-02',
    'a frame in the same segment as the handshake',
    async (stage) => {
      stage.web.restart(acceptAll);
      const client = await stage.open();
      client.send(handshake() + UP);
      equal(statusOf(await client.answer()), 101);
      await until('the application reads it', () => last(stage)?.tunnel().toString('latin1') === UP);
    },
    { ways: WAYS },
  ),
  row('ws-03', 'a frame in the same segment as the 101, twenty times', async (stage) => {
    stage.web.restart((exchange) => exchange.upgrade(switched() + DOWN));
    for (let n = 0; n < 20; n++) {
      const { tunnel, client } = await openTunnel(stage);
      await tunnel.sees(DOWN);
      equal(tunnel.byteCount(), DOWN.length);
      client.close();
    }
  }),
  refusal(
    'ws-05',
    'refused with 403 and a body',
    'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nX-Why: no\r\nContent-Length: 4\r\n\r\nnope',
    (answer) => {
      checkAnswer(answer, 403, 'nope');
      deepEqual(answer.fields, [
        ['Content-Type', 'text/plain'],
        ['X-Why', 'no'],
        ['Content-Length', '4'],
      ]);
    },
  ),
  refusal(
    'ws-06',
    'refused with 426, an Upgrade field and a body',
    'HTTP/1.1 426 Upgrade Required\r\nConnection: Upgrade\r\nUpgrade: foo/2\r\nContent-Length: 4\r\n\r\nnope',
    (answer) => {
      checkAnswer(answer, 426, 'nope');
      equal(fieldOf(answer, 'upgrade'), 'foo/2');
    },
  ),
  refusal(
    'ws-08',
    'refused with 401 and a chunked body',
    'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwho\r\n4\r\n are\r\n0\r\n\r\n',
    (answer) => {
      checkAnswer(answer, 401, 'who are');
      equal(fieldOf(answer, 'www-authenticate'), 'Basic realm="x"');
    },
  ),
  row('ws-10', 'two hundred refused upgrades leave nothing open', async (stage) => {
    stage.web.restart((exchange) => exchange.respond('no', { fields: 'Connection: keep-alive\r\n' }));
    const worker = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) {
        const client = await stage.open();
        checkAnswer(await client.ask(handshake()), 200, 'no');
        client.close();
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    equal(stage.web.requests().length, 200);
    await until('no application connection is open', () => stage.web.openCount() === 0, 2_000);
  }),
  row(
    'ws-11',
    'a request hidden behind a refused handshake is a request of its own',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.respond(exchange.target, { status: exchange.target === '/x/ws' ? '403 Forbidden' : '200 OK' }),
      );
      const client = await stage.open();
      client.send(handshake() + get('/behind', 'X-Forwarded-For: 6.6.6.6\r\n'));
      checkAnswer(await client.answer(), 403, '/x/ws');
      checkAnswer(await client.answer(), 200, '/behind');
      equal(stage.web.requests().length, 2);
      equal(fieldOf(stage.web.requests()[1] as Message, 'x-forwarded-for'), '127.0.0.1');
    },
    { ways: PARSED },
  ),
  row(
    'ws-13',
    'the client half-closes: late bytes still reach it',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.upgrade(switched(), { outlives: true });
        await until('the end arrives', exchange.connection.ended, SECOND_MS);
        await pause(400);
        exchange.end('PAYLOAD');
      });
      const { client, tunnel } = await openTunnel(stage);
      client.socket.end();
      await tunnel.sees('PAYLOAD');
      await client.isOver(2_000);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'ws-15',
    'the client resets an open tunnel',
    async (stage) => {
      stage.web.restart(acceptAll);
      const { client } = await openTunnel(stage);
      client.reset();
      await until('the application sees its connection close', () => last(stage)?.closed() === true, SECOND_MS);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row('ws-17', 'the client resets before the 101, thirty times', async (stage) => {
    stage.web.restart(async (exchange) => {
      await pause(500);
      exchange.send(switched());
    });
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const client = await stage.open();
        client.send(handshake());
        await until('the handshake arrives', () => stage.web.requests().length > 0);
        await pause(200);
        client.reset();
      }),
    );
    await until('the application sees its connections close', () => stage.web.openCount() === 0, SECOND_MS);
  }),
];
