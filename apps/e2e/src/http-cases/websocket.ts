import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Exchange } from '../stage/app.ts';
import type { Client, Tunnel } from '../stage/client.ts';
import { type FieldLine, fieldOf, fieldsOf, type Message, statusOf, targetOf } from '../stage/message.ts';
import { HOST, HOST_DEAD, type Stage } from '../stage/stage.ts';
import { livelyMs, pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkSeen } from './expect.ts';
import { get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

export const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
export const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
const BASE = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n`;
export const handshake = (fields = '', target = '/x/ws', host: string = HOST): string =>
  get(target, `Connection: Upgrade\r\nUpgrade: websocket\r\n${BASE}${fields}`, host);
export const switched = (fields = ''): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n${fields}\r\n`;
/** A masked frame of two bytes, and an unmasked one. */
const UP = '\x81\x82\x00\x00\x00\x00hi';
const DOWN = '\x81\x02hi';
const SECOND_MS = 1_700;
const WAYS = ['whole', 'single-bytes', 'second', 'tls-1.2'] as const;

export const acceptAll = (exchange: Exchange): void => exchange.upgrade(switched());

export async function openTunnel(
  stage: Stage,
  bytes = handshake(),
): Promise<{ client: Client; tunnel: Tunnel; answer: Message }> {
  const client = await stage.open();
  const answer = await client.ask(bytes);
  equal(answer.startLine, 'HTTP/1.1 101 Switching Protocols');
  return { client, answer, tunnel: client.tunnel() };
}

export const last = (stage: Stage) => stage.web.connections.at(-1);
export async function passesBothWays(stage: Stage, client: Client, tunnel: Tunnel): Promise<void> {
  client.send(UP);
  await until('the application reads the frame', () => last(stage)?.tunnel().toString('latin1').endsWith(UP) === true);
  last(stage)?.socket.write(DOWN, 'latin1');
  await tunnel.sees(DOWN);
}

/** The application refuses the handshake: its answer reaches the client, and nothing stays half open. */
const refusal = (id: string, title: string, bytes: string, check: (answer: Message) => void): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart((exchange) => (exchange.target === '/x/ws' ? exchange.send(bytes) : exchange.respond('usable')));
      const client = await stage.open();
      const askedAt = livelyMs();
      const answer = await client.ask(handshake());
      ok(livelyMs() - askedAt < 2_000);
      equal(answer.state, 'whole');
      check(answer);
      await until('its connection is not kept', () => stage.web.openCount() === 0, 2_000);
      checkAnswer(await client.ask(get('/x')), 200, 'usable');
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  );

/** No upgrade that we let through: goes on as plain HTTP, to an application that would switch to anything. */
export const plain = (id: string, title: string, bytes: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart((exchange) => {
        if (fieldOf(exchange.request, 'upgrade') !== undefined) exchange.upgrade(switched());
        else exchange.respond('plain');
      });
      const client = await stage.open();
      checkAnswer(await client.ask(bytes), 200, 'plain');
      equal(stage.web.requests().length, 1);
      checkSeen(stage.web.requests()[0], { lacks: ['upgrade', 'http2-settings'] });
    },
    { ways: PARSED },
  );

const names = (request: Message): string[] =>
  request.fields.map(([name]) => name).filter((name) => !/^(host|x-forwarded-)/i.test(name));

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
  plain(
    'ws-19',
    'the word upgrade inside another token of Connection',
    get('/x/ws', `Connection: keep-alive, upgrade-insecure-requests\r\nUpgrade: websocket\r\n${BASE}`),
  ),
  plain(
    'ws-20',
    '`Upgrade: h2c`',
    get('/x/ws', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'),
  ),
  plain('ws-21', 'a custom protocol in Upgrade', get('/x/ws', 'Connection: Upgrade\r\nUpgrade: custom_protocol\r\n')),
  plain('ws-23', 'a handshake in HTTP/1.0', handshake().replace('HTTP/1.1', 'HTTP/1.0')),
  plain('ws-24', 'a handshake with POST', handshake('Content-Length: 0\r\n').replace('GET', 'POST')),
  row(
    'ws-27',
    'a handshake without Sec-WebSocket-Key: 400',
    async (stage) => {
      const client = await stage.open();
      checkRefusal(await client.ask(handshake().replace(`Sec-WebSocket-Key: ${KEY}\r\n`, '')), 400, 'bad_request');
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  row(
    'ws-29',
    'other capitals in Upgrade and Connection, several tokens and fields',
    async (stage) => {
      stage.web.restart(acceptAll);
      const spellings = [
        ['WebSocket', 'Connection: Upgrade\r\n'],
        ['websocket', 'connection: keep-alive, UPGRADE\r\n'],
        ['websocket', 'Connection: keep-alive\r\nConnection: Upgrade\r\n'],
      ];
      for (const [value, connection] of spellings) {
        const { client, tunnel } = await openTunnel(stage, get('/x/ws', `${connection}Upgrade: ${value}\r\n${BASE}`));
        deepEqual(fieldsOf(stage.web.requests().at(-1) as Message, 'upgrade'), [value]);
        await passesBothWays(stage, client, tunnel);
      }
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  row('ws-30', 'subprotocols', async (stage) => {
    stage.web.restart((exchange) => exchange.upgrade(switched(exchange.order === 0 ? 'Sec-WebSocket-Protocol: b\r\n' : '')));
    const first = await openTunnel(stage, handshake('Sec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Protocol: c\r\n'));
    deepEqual(fieldsOf(stage.web.requests()[0] as Message, 'sec-websocket-protocol'), ['a, b', 'c']);
    equal(fieldOf(first.answer, 'sec-websocket-protocol'), 'b');
    const second = await openTunnel(stage);
    equal(
      stage.web.requests().some((request, n) => n > 0 && fieldOf(request, 'sec-websocket-protocol') !== undefined),
      false,
    );
    equal(fieldOf(second.answer, 'sec-websocket-protocol'), undefined);
  }),
  row(
    'ws-31',
    'names keep their capitals and order in a handshake',
    async (stage) => {
      stage.web.restart(acceptAll);
      await openTunnel(
        stage,
        get(
          '/x/ws',
          `X-b: 2\r\nuPGRADE: websocket\r\nsEc-WebSocket-KEY: ${KEY}\r\nCONNECTION: upgrade\r\nx-A: 1\r\nSec-websocket-Version: 13\r\nX-b: 3\r\n`,
        ),
      );
      deepEqual(names(stage.web.requests()[0] as Message), [
        'X-b',
        'uPGRADE',
        'sEc-WebSocket-KEY',
        'CONNECTION',
        'x-A',
        'Sec-websocket-Version',
        'X-b',
      ]);
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  row(
    'ws-32',
    'path and query of a handshake are not touched',
    async (stage) => {
      stage.web.restart(acceptAll);
      await openTunnel(stage, handshake('', '/x/ws//a/%2e?x=%20&y=//&z'));
      equal(targetOf(stage.web.requests()[0] as Message), '/x/ws//a/%2e?x=%20&y=//&z');
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  row(
    'ws-33',
    'handshakes obey the same field rules as requests',
    async (stage) => {
      stage.web.restart(acceptAll);
      const forged = 'X-Forwarded-For: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\n';
      await openTunnel(
        stage,
        get('/x/ws', `Connection: Upgrade, X-Secret\r\nUpgrade: websocket\r\n${BASE}X-Secret: 1\r\n${forged}`),
      );
      const request = stage.web.requests()[0] as Message;
      checkSeen(request, {
        lacks: ['x-secret', 'forwarded', 'x-real-ip'],
        has: [
          ['Host', HOST],
          ['X-Forwarded-For', '127.0.0.1'],
          ['X-Forwarded-Proto', 'https'],
          ['X-Forwarded-Host', HOST],
        ],
      });
      ok(!request.head.includes('6.6.6.6'));
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  row('ws-35', 'a handshake for an application that does not listen', async (stage) => {
    const client = await stage.open({ servername: HOST_DEAD });
    checkRefusal(await client.ask(handshake('', '/x', HOST_DEAD)), 502, 'app_unreachable');
    checkRefusal(await client.ask(get('/x', '', HOST_DEAD)), 502, 'app_unreachable');
  }),
  row(
    'ws-37',
    'binary frames of 1 MiB, eight each way at once',
    async (stage) => {
      const frame = (): Buffer => Buffer.concat([Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 16, 0, 0]), randomBytes(1_048_576)]);
      const [up, down] = [Array.from({ length: 8 }, frame), Array.from({ length: 8 }, frame)];
      stage.web.restart(acceptAll);
      const { client, tunnel } = await openTunnel(stage);
      for (let n = 0; n < 8; n++) {
        client.write(up[n] as Buffer);
        last(stage)?.socket.write(down[n] as Buffer);
      }
      const [wantedUp, wantedDown] = [Buffer.concat(up), Buffer.concat(down)];
      await until(
        'all of it arrives',
        () => last(stage)?.tunnelByteCount() === wantedUp.length && tunnel.byteCount() === wantedDown.length,
      );
      ok(last(stage)?.tunnel().equals(wantedUp));
      ok(tunnel.bytes().equals(wantedDown));
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
];
