import { deepEqual, equal, ok } from 'node:assert/strict';
import { fieldOf, fieldsOf, statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkSeen } from './expect.ts';
import { forwarded, framed, get, post } from './makers.ts';
import { ONCE, PARSED, type Row, row } from './row.ts';

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const old = (fields = '', method = 'GET'): string => `${method} /x HTTP/1.0\r\nHost: ${HOST}\r\n${fields}\r\n`;

/** Neighbours of the section on bodies. */
export const bodiesMore: readonly Row[] = [
  forwarded('body-n01', 'PUT chunked with capitals in the sizes', framed(CHUNKED, 'B\r\nhello world\r\n0\r\n\r\n', 'PUT'), {
    body: 'hello world',
  }),
  row(
    'body-n02',
    'trailers of a request that would authenticate, cache or rewrite are dropped',
    async (stage) => {
      const client = await stage.open();
      const trailers = [
        'Authorization: x',
        'Cookie: a=1',
        'Content-Type: text/html',
        'Transfer-Encoding: gzip',
        'Connection: X-Ok',
        'X-HTTP-Method-Override: DELETE',
        'Sallyport-Error: x',
        'X_Forwarded_For: 6.6.6.6',
        'X-Ok: 1',
      ];
      checkAnswer(await client.ask(framed(CHUNKED, `0\r\n${trailers.join('\r\n')}\r\n\r\n`)), 200);
      deepEqual(stage.web.requests()[0]?.trailers, [['X-Ok', '1']]);
    },
    { ways: PARSED },
  ),
  row(
    'body-n03',
    'trailers of an answer that would set cookies or frame are dropped',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send(
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nSet-Cookie: a=1\r\nContent-Length: 5\r\nLocation: /evil\r\nsallyport-error: x\r\nX-Ok: 1\r\n\r\n',
        ),
      );
      const client = await stage.open();
      deepEqual((await client.ask(get('/x'))).trailers, [['X-Ok', '1']]);
    },
    { ways: PARSED },
  ),
  row(
    'body-n04',
    'response trailers reach a client that did not ask for them',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n'),
      );
      const client = await stage.open();
      deepEqual((await client.ask(get('/x'))).trailers, [['X-Sum', '42']]);
    },
    { ways: PARSED },
  ),
  row(
    'body-n05',
    'an HTTP/1.0 client gets no trailers and no interim answers',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send(
          'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n',
        ),
      );
      const client = await stage.open();
      const before = client.messages.length;
      checkAnswer(await client.ask(old()), 200, 'ok');
      deepEqual(client.messages.slice(before).map(statusOf), [200]);
    },
    { ways: PARSED },
  ),
  row(
    'body-n06',
    'Expect from HTTP/1.0 asks for nothing',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(`${old('Expect: 100-continue\r\nContent-Length: 5\r\n', 'POST')}hello`), 200);
      checkSeen(stage.web.requests()[0], { body: 'hello', lacks: ['expect'] });
    },
    { ways: PARSED },
  ),
  row(
    'body-n07',
    'Expect in other letters, the body sent without waiting',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send('HTTP/1.1 100 Continue\r\n\r\n');
        await exchange.whole();
        exchange.respond('done');
      });
      const client = await stage.open();
      const before = client.messages.length;
      checkAnswer(await client.ask(post('/x', 'hello', 'expect: 100-Continue\r\n')), 200, 'done');
      deepEqual(client.messages.slice(before).map(statusOf), [100, 200]);
    },
    { ways: PARSED },
  ),
  row(
    'body-n08',
    'an expectation that nobody knows is the application’s to refuse',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('no', { status: '417 Expectation Failed' }));
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x', 'Expect: 200-maybe\r\n')), 417, 'no');
      checkSeen(stage.web.requests()[0], { has: [['Expect', '200-maybe']] });
    },
    { ways: PARSED },
  ),
  row(
    'body-n09',
    'Expect with a bodiless application that answers 200 at once: no 100',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('fine'));
      const client = await stage.open();
      const before = client.messages.length;
      checkAnswer(await client.ask(post('/x', 'hello', 'Expect: 100-continue\r\n').slice(0, -5)), 200, 'fine');
      deepEqual(client.messages.slice(before).map(statusOf), [200]);
    },
    { ways: PARSED },
  ),
  row(
    'body-n10',
    'HEAD answered without a length, with chunks announced, with an end of the connection',
    async (stage) => {
      const heads = ['\r\n', 'Transfer-Encoding: chunked\r\n\r\n', 'Connection: close\r\n\r\n'];
      for (const fields of heads) {
        stage.web.restart((exchange) => exchange.send(`HTTP/1.1 200 OK\r\n${fields}`));
        const client = await stage.open();
        checkAnswer(await client.ask(get('/x').replace('GET', 'HEAD')), 200, '');
        checkAnswer(await client.ask(get('/x').replace('GET', 'HEAD')), 200, '');
        equal(client.fault(), undefined);
        client.close();
      }
    },
    { ways: ONCE },
  ),
  row(
    'body-n11',
    '205 with an empty body, 304 with the length of the body that it stands for',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.order === 0
          ? exchange.send('HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n')
          : exchange.send('HTTP/1.1 304 Not Modified\r\nContent-Length: 777\r\nETag: "x"\r\n\r\n'),
      );
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 205, '');
      const answer = await client.ask(get('/x'));
      checkAnswer(answer, 304, '');
      equal(fieldOf(answer, 'content-length'), '777');
    },
    { ways: PARSED },
  ),
  row(
    'body-n12',
    '204 keeps its fields and loses a length',
    async (stage) => {
      stage.web.restart((exchange) => exchange.send('HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nX-A: 1\r\n\r\n'));
      const client = await stage.open();
      const answer = await client.ask(get('/x'));
      checkAnswer(answer, 204, '');
      deepEqual(answer.fields, [['X-A', '1']]);
      checkAnswer(await client.ask(get('/x')), 204, '');
    },
    { ways: PARSED },
  ),
  row(
    'body-n13',
    'a chunked answer in pieces of one byte, with extensions',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        for (const byte of 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0001\r\n!\r\n0;x\r\n\r\n') {
          exchange.send(byte);
          await new Promise(setImmediate);
        }
      });
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 200, 'hello!');
      checkAnswer(await client.ask(get('/x')), 200, 'hello!');
    },
    { ways: PARSED },
  ),
  row(
    'body-n14',
    'the application reads slowly: an upload of 5 MB arrives whole',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        for (let n = 0; n < 5; n++) {
          exchange.connection.socket.pause();
          await pause(60);
          exchange.connection.socket.resume();
          await new Promise(setImmediate);
        }
        await exchange.whole();
        exchange.respond(String(exchange.request.bodyBytes));
      });
      const client = await stage.open();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5000000\r\n\r\n`);
      client.write(Buffer.alloc(5_000_000, 'x'));
      checkAnswer(await client.answer(), 200, '5000000');
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'body-n15',
    'the client reads slowly: an answer of 5 MB arrives whole',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('x'.repeat(5_000_000)));
      const client = await stage.open();
      client.send(get('/x'));
      client.socket.pause();
      await until('the request arrives', () => stage.web.requests().length === 1);
      await pause(300);
      client.socket.resume();
      equal((await client.answer()).bodyBytes, 5_000_000);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'body-n16',
    'an answer whose head comes in one segment with the end of the connection',
    async (stage) => {
      stage.web.restart((exchange) => exchange.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it'));
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 200, 'all of it');
      checkAnswer(await client.ask(get('/x')), 200, 'all of it');
    },
    { ways: PARSED },
  ),
  row(
    'body-n17',
    'a body that ends with the connection, for an HTTP/1.0 client',
    async (stage) => {
      stage.web.restart((exchange) => exchange.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
      const client = await stage.open();
      const answer = await client.ask(old('Connection: keep-alive\r\n'));
      checkAnswer(answer, 200, 'all of it');
      deepEqual(fieldsOf(answer, 'connection'), ['close']);
      equal(client.over(), 'ended');
    },
    { ways: PARSED },
  ),
  row(
    'body-n18',
    '33 interim answers are one too many',
    async (stage) => {
      stage.web.restart((exchange) => exchange.send('HTTP/1.1 102 Processing\r\n\r\n'.repeat(33)));
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x')), 502, 'app_protocol');
    },
    { ways: ONCE },
  ),
  row(
    'body-n19',
    'an interim answer with a length has no body all the same',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send('HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
      );
      const client = await stage.open();
      const before = client.messages.length;
      checkAnswer(await client.ask(get('/x')), 200, 'ok');
      deepEqual(client.messages[before]?.fields, []);
    },
    { ways: PARSED },
  ),
  row(
    'body-n20',
    'an upload that is answered before its end keeps its connection out of the pool',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('early'));
      const client = await stage.open();
      checkAnswer(await client.ask(post('/x', 'x'.repeat(100)).slice(0, -50)), 200, 'early');
      await client.isOver(3_000);
      const other = await stage.open();
      await other.ask(get('/y'));
      ok(stage.web.connections.every(({ reader }) => reader.fault === undefined));
      equal(stage.web.requests().filter(({ state }) => state === 'whole').length, 1);
    },
    { ways: ONCE },
  ),
];
