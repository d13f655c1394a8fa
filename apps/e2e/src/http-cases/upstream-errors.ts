import { deepEqual, equal } from 'node:assert/strict';
import { fieldOf } from '../stage/message.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkUnfinished } from './expect.ts';
import { badAnswer, get, post } from './makers.ts';
import { type Row, row } from './row.ts';

export const OK = 'HTTP/1.1 200 OK\r\n';
export const answer = (fields: string, body = 'ok'): string => `${OK}${fields}Content-Length: 2\r\n\r\n${body}`;
export const chunked = (body: string): string => `${OK}Transfer-Encoding: chunked\r\n\r\n${body}`;
export const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nextra';
export const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** The head was good and has gone on; the fault is in the body: unfinished, closed, and nothing of the bad part. */
export const badLater = (id: string, title: string, bytes: string, passed: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart((exchange) => {
        if (stage.way === 'single-bytes') for (const byte of Buffer.from(bytes, 'latin1')) exchange.send(Buffer.of(byte));
        else exchange.send(bytes);
      });
      const client = await stage.open();
      const got = await client.ask(get('/x'));
      await client.isOver(3_000);
      checkUnfinished(client, got);
      equal(got.body(), passed);
      deepEqual(got.trailers, []);
      await until('the application connection is closed', () => stage.web.openCount() === 0, 3_000);
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  );

export const upstreamErrors: readonly Row[] = [
  badAnswer(
    'app-01',
    'Content-Length and Transfer-Encoding together',
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  badAnswer('app-02', 'two different Content-Length fields', `${OK}Content-Length: 2\r\nContent-Length: 5\r\n\r\nhello`),
  badAnswer('app-03', 'the same Content-Length twice: 502', `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`),
  badAnswer('app-04', 'a Content-Length that is no number', `${OK}Content-Length: 2x\r\n\r\nok`, 'closes'),
  badAnswer('app-05', 'a negative Content-Length', `${OK}Content-Length: -2\r\n\r\nok`),
  badAnswer(
    'app-06',
    'Transfer-Encoding `chunked, chunked`: 502',
    `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    'closes',
  ),
  badLater('app-10', 'a chunk size that is no number', chunked('2\r\nok\r\nZZ\r\nhello\r\n0\r\n\r\n'), 'ok'),
  badAnswer('app-13', 'a control byte in a field', answer('X: a\x01b\r\n')),
  badAnswer('app-14', 'byte 00 in a field', answer('X: a\x00b\r\n')),
  badAnswer('app-15', 'CR inside a field: no response splitting', answer('X: a\rSet-Cookie: evil=1\r\n')),
  badAnswer('app-16', 'all lines end in a bare LF: 502', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'),
  badAnswer('app-18', 'a blank before a colon: 502', answer('X-B : 1\r\n')),
  badAnswer('app-20', 'a field name that is no token: 502', answer('X(Y): 1\r\n')),
  badAnswer('app-21', 'not HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n', 'closes'),
  badAnswer('app-22', 'a misspelt protocol', 'HTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'closes'),
  badAnswer('app-25', 'status 099', 'HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok', 'closes'),
  badAnswer('app-27', 'the HTTP/2 preface of a server (SETTINGS)', '\x00\x00\x00\x04\x00\x00\x00\x00\x00', 'closes'),
  badAnswer('app-28', 'a head of 1 MB: 502', `${OK}X: ${'x'.repeat(1_000_000)}\r\nContent-Length: 2\r\n\r\nok`, 'stays', {
    ways: ['whole'],
  }),
  row(
    'app-31',
    '204 with Content-Length 5 and five bytes: 204, and the five bytes reach nobody',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.target === '/1'
          ? exchange.send('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello')
          : exchange.respond(exchange.target),
      );
      const client = await stage.open();
      const got = await client.ask(get('/1'));
      checkAnswer(got, 204, '');
      equal(fieldOf(got, 'content-length'), undefined);
      for (const path of ['/2', '/3']) checkAnswer(await client.ask(get(path)), 200, path);
      equal(client.fault(), undefined);
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  badAnswer('app-32', '101 to a plain GET', SWITCH),
  badAnswer('app-33', '101 to a POST with a body', SWITCH, 'stays', { request: post('/x', 'hi') }),
  badAnswer(
    'app-35',
    '101 to an h2c upgrade that the proxy does not pass on',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    'stays',
    { request: get('/x', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n') },
  ),
  row(
    'app-36',
    '101 with a wrong Sec-WebSocket-Accept is passed on for the client to judge',
    async (stage) => {
      const bytes =
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n';
      stage.web.restart((exchange) => exchange.upgrade(bytes));
      const client = await stage.open();
      const got = await client.ask(get('/x', HANDSHAKE));
      equal(got.startLine, 'HTTP/1.1 101 Switching Protocols');
      equal(fieldOf(got, 'sec-websocket-accept'), 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=');
      client.close();
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
];
