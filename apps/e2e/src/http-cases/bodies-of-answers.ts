import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { livelyMs } from '@sallyport/process/lively';
import { fieldOf, fieldsOf, statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { CHUNKED, chunk, head, MEGABYTE, sha256 } from './bodies.ts';
import { checkAnswer, checkRequestCount } from './expect.ts';
import { framed, get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

/** Second half of the section on bodies: those of answers. */
export const bodiesOfAnswers: readonly Row[] = [
  row(
    'body-15',
    'HEAD keeps Content-Length and does not wait for a body',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.method === 'HEAD' ? exchange.send('HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n') : exchange.respond('get'),
      );
      const client = await stage.open();
      const sentAt = livelyMs();
      const answer = await client.ask(head);
      equal(fieldOf(answer, 'content-length'), '12345');
      ok(livelyMs() - sentAt < 1_500, 'at once');
      checkAnswer(await client.ask(get('/x')), 200, 'get');
    },
    { ways: PARSED },
  ),
  row(
    'body-16',
    'HEAD, 204 and 304 with Transfer-Encoding: chunked',
    async (stage) => {
      const statuses = ['200 OK', '304 Not Modified', '204 No Content'];
      stage.web.restart((exchange) =>
        exchange.order < 3
          ? exchange.send(`HTTP/1.1 ${statuses[exchange.order]}\r\nTransfer-Encoding: chunked\r\n\r\n`)
          : exchange.respond('in step'),
      );
      const client = await stage.open();
      for (const [request, status] of [
        [head, 200],
        [get('/x'), 304],
        [get('/x'), 204],
      ] as const) {
        const sentAt = livelyMs();
        const answer = await client.ask(request);
        checkAnswer(answer, status, '');
        ok(livelyMs() - sentAt < 2_000);
        equal(client.fault(), undefined);
      }
      checkAnswer(await client.ask(get('/x')), 200, 'in step');
    },
    { ways: PARSED },
  ),
  row(
    'body-19',
    '103 is passed on and the final answer follows',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.js>; rel=preload\r\n\r\n');
        await pause(400);
        exchange.respond('ok');
      });
      const client = await stage.open();
      const before = client.messages.length;
      const answer = await client.ask(get('/x'));
      checkAnswer(answer, 200, 'ok');
      const hints = client.messages[before];
      equal(hints?.startLine, 'HTTP/1.1 103 Early Hints');
      deepEqual(hints === undefined ? [] : fieldsOf(hints, 'link'), ['</a.css>; rel=preload', '</b.js>; rel=preload']);
      ok(answer.headAt - (hints?.headAt ?? 0) > 200);
    },
    { ways: PARSED },
  ),
  row(
    'body-21',
    'unasked 100, 102 and several 103 before 200: 100 is dropped, the others pass',
    async (stage) => {
      stage.web.restart((exchange) => {
        for (const status of ['100 Continue', '102 Processing', '103 Early Hints', '103 Early Hints'])
          exchange.send(`HTTP/1.1 ${status}\r\n\r\n`);
        exchange.respond('ok');
      });
      const client = await stage.open();
      const before = client.messages.length;
      checkAnswer(await client.ask(get('/x')), 200, 'ok');
      deepEqual(client.messages.slice(before).map(statusOf), [102, 103, 103, 200]);
      checkAnswer(await client.ask(get('/x')), 200, 'ok');
    },
    { ways: PARSED },
  ),
  row(
    'body-22',
    'the head and every small event come at once',
    async (stage) => {
      const client = await stage.open();
      const before = client.messages.length;
      stage.web.restart(async (exchange) => {
        exchange.send('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
        await until('the head is at the client before the first event exists', () => client.messages.length > before, 1_000);
        for (let n = 0; n < 8; n++) {
          exchange.send(chunk(Buffer.from(`data: ${n}\n\n`)));
          // Nothing follows until this one is there: an event that waited for more would wait for ever.
          await until(`event ${n}`, () => client.messages[before]?.pieces.length === n + 1, 1_000);
        }
        exchange.send('0\r\n\r\n');
      });
      checkAnswer(await client.ask(get('/x')), 200, Array.from({ length: 8 }, (_, n) => `data: ${n}\n\n`).join(''));
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'body-25',
    'a body that ends with the connection',
    async (stage) => {
      const body = randomBytes(200_000);
      stage.web.restart((exchange) => {
        exchange.send('HTTP/1.0 200 OK\r\n\r\n');
        exchange.send(body);
        exchange.end();
      });
      const client = await stage.open();
      const answer = await client.ask(get('/x'));
      equal(answer.state, 'whole');
      equal(answer.framing, 'chunked');
      equal(answer.sha256(), sha256(body));
    },
    { ways: PARSED },
  ),
  row(
    'body-26',
    'an HTTP/1.0 client gets no chunks',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'),
      );
      const client = await stage.open();
      const answer = await client.ask(`GET /x HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`);
      checkAnswer(answer, 200, 'hello world');
      deepEqual(fieldsOf(answer, 'transfer-encoding'), []);
    },
    { ways: PARSED },
  ),
  row('body-29', '32 MB down and 32 MB up at full speed', async (stage) => {
    const body = randomBytes(32 * MEGABYTE);
    stage.web.restart(async (exchange) => {
      if (exchange.method === 'GET') {
        exchange.send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
        exchange.send(body);
        return;
      }
      await exchange.whole();
      exchange.respond(exchange.request.sha256());
    });
    const client = await stage.open();
    equal((await client.ask(get('/x'))).sha256(), sha256(body));
    client.write(framed(CHUNKED));
    for (let at = 0; at < body.length; at += 100_000) client.write(chunk(body.subarray(at, at + 100_000)));
    client.write('0\r\n\r\n');
    checkAnswer(await client.answer('POST'), 200, sha256(body));
    checkRequestCount(stage, 2);
  }),
];
