import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fieldOf, fieldsOf, type Message, targetOf } from '../stage/message.ts';
import { HOST, HOST_DEAD } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkRefusal, checkSeen } from './expect.ts';
import { get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';
import { acceptAll, BASE, handshake, KEY, last, names, openTunnel, passesBothWays, plain, switched } from './tunnel-makers.ts';

/** Second half of the section on WebSocket: what is a handshake, and what goes on of it. */
export const webSocketHandshake: readonly Row[] = [
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
