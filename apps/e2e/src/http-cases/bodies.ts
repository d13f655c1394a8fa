import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkSeen } from './expect.ts';
import { eachForwarded, framed, get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

export const CHUNKED = 'Transfer-Encoding: chunked\r\n';
export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
export const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
export const MEGABYTE = 1_024 * 1_024;
export const upload = (length: number, fields = ''): string =>
  `POST /x HTTP/1.1\r\nHost: ${HOST}\r\n${fields}Content-Length: ${length}\r\n\r\n`;
export const head = get('/x').replace('GET', 'HEAD');

export const bodies: readonly Row[] = [
  row(
    'body-01',
    'POST with Content-Length arrives byte for byte',
    async (stage) => {
      const body = randomBytes(300_000);
      const client = await stage.open();
      client.send(upload(body.length));
      client.write(body);
      checkAnswer(await client.answer(), 200);
      equal(stage.web.requests()[0]?.sha256(), sha256(body));
      checkSeen(stage.web.requests()[0], { has: [['Content-Length', '300000']] });
    },
    { ways: PARSED },
  ),
  row(
    'body-02',
    'chunked POST arrives byte for byte',
    async (stage) => {
      const pieces = Array.from({ length: 200 }, (_, n) => randomBytes(1 + ((n * 7919) % 3_000)));
      const wire = Buffer.concat([...pieces.map(chunk), Buffer.from('0\r\n\r\n')]);
      const client = await stage.open();
      client.send(framed(CHUNKED));
      for (let at = 0; at < wire.length; at += 1_777) client.write(wire.subarray(at, at + 1_777));
      checkAnswer(await client.answer(), 200);
      equal(stage.web.requests()[0]?.sha256(), sha256(Buffer.concat(pieces)));
      equal(stage.web.requests()[0]?.framing, 'chunked');
    },
    { ways: PARSED },
  ),
  eachForwarded('body-03', 'an empty chunked POST, a POST with Content-Length 0, a POST with neither', [
    [framed(CHUNKED, '0\r\n\r\n'), { body: '' }],
    [framed('Content-Length: 0\r\n'), { body: '' }],
    [framed(''), { body: '' }],
  ]),
  row(
    'body-04',
    'request trailers reach the application, forbidden ones do not',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(
        await client.ask(
          framed(
            `Trailer: X-Sum\r\n${CHUNKED}`,
            '5\r\nhello\r\n0\r\nX-Sum: 42\r\nHost: evil.example\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n',
          ),
        ),
        200,
      );
      const request = stage.web.requests()[0];
      deepEqual(request?.trailers, [['X-Sum', '42']]);
      ok(!/evil|6\.6\.6\.6/.test(request?.head ?? 'evil'));
    },
    { ways: PARSED },
  ),
  row(
    'body-05',
    'response trailers reach the client',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send(
          'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 42\r\n\r\n',
        ),
      );
      const client = await stage.open();
      const answer = await client.ask(get('/x', 'TE: trailers\r\nConnection: TE\r\n'));
      checkAnswer(answer, 200, 'hello');
      deepEqual(answer.trailers, [['X-Sum', '42']]);
      equal(answer.framing, 'chunked');
    },
    { ways: PARSED },
  ),
  row(
    'body-07',
    '100 comes when the application says so, not before',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await pause(500);
        exchange.send('HTTP/1.1 100 Continue\r\n\r\n');
        await exchange.whole();
        exchange.respond('done');
      });
      const client = await stage.open();
      const before = client.messages.length;
      const sentAt = performance.now();
      client.send(upload(5, 'Expect: 100-continue\r\n'));
      await until('100', () => client.messages.length > before);
      equal(statusOf(client.messages[before] as never), 100);
      ok((client.messages[before]?.headAt ?? 0) - sentAt > 350, 'not before the application says so');
      client.send('hello');
      checkAnswer(await client.answer(), 200, 'done');
      equal(client.messages.slice(before).filter((message) => statusOf(message) === 100).length, 1);
      checkSeen(stage.web.requests()[0], { body: 'hello', has: [['Expect', '100-continue']] });
    },
    { ways: PARSED },
  ),
  row(
    'body-08',
    'a refusal instead of 100 comes without 100',
    async (stage) => {
      stage.web.restart((exchange) => {
        exchange.respond('too large', { status: '413 Content Too Large', fields: 'Connection: close\r\n' });
        exchange.close();
      });
      const client = await stage.open();
      const before = client.messages.length;
      checkAnswer(await client.ask(upload(1_000_000, 'Expect: 100-continue\r\n')), 413, 'too large');
      deepEqual(client.messages.slice(before).map(statusOf), [413]);
      equal(stage.web.requests()[0]?.bodyBytes, 0);
    },
    { ways: PARSED },
  ),
  row(
    'body-11',
    '413 while the client uploads 20 MB reaches the client',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.connection.socket.pause();
        exchange.send('HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large');
        await pause(1_000);
        exchange.close();
      });
      const client = await stage.open();
      client.send(upload(20 * MEGABYTE));
      client.write(Buffer.alloc(20 * MEGABYTE, 'x'));
      checkAnswer(await client.answer(), 413, 'too large');
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'body-12',
    '401 and an immediate reset of the application still reach the client',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.connection.socket.pause();
        exchange.send('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
        await pause(30);
        exchange.reset();
      });
      const client = await stage.open();
      client.send(framed(CHUNKED));
      for (let n = 0; n < 20; n++) client.write(chunk(Buffer.alloc(MEGABYTE, 'x')));
      const answer = await client.answer();
      equal(answer.state, 'whole');
      // The system of the application throws away what it has sent when it resets before we have read.
      ok([401, 502].includes(statusOf(answer)), answer.startLine);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'body-13',
    'the application answers while the request is still being sent',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        for (let n = 0; n < 3; n++) {
          await until('the next chunk of the request', () => exchange.request.pieces.length > n);
          exchange.send(chunk(Buffer.from(exchange.request.pieces[n]?.text ?? '')));
        }
        await exchange.whole();
        exchange.send('0\r\n\r\n');
      });
      const client = await stage.open();
      const before = client.messages.length;
      client.write(framed(CHUNKED));
      for (let n = 0; n < 3; n++) {
        client.write(`5\r\nword${n}\r\n`);
        await until(`echo ${n}`, () => client.messages[before]?.pieces[n]?.text === `word${n}`);
      }
      client.write('0\r\n\r\n');
      checkAnswer(await client.answer(), 200, 'word0word1word2');
    },
    { ways: ['whole', 'second'] },
  ),
];
