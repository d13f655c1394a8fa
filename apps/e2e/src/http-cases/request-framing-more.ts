import { equal, ok } from 'node:assert/strict';
import { targetOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkRefusedAndClosed, checkRequestCount } from './expect.ts';
import { eachForwarded, forwarded, framed, get, HIDDEN, post, refused } from './makers.ts';
import { bad, CHUNKED, CHUNKED_HIDDEN, coded, EMPTY, LENGTH } from './request-framing.ts';
import { PARSED, type Row, row } from './row.ts';

/** Neighbours: other spellings of what frames a body. */
export const requestFramingMore: readonly Row[] = [
  coded('frm-n01', 'Transfer-Encoding `gzip` alone', 'Transfer-Encoding: gzip\r\n', EMPTY),
  bad('frm-n02', 'Transfer-Encoding `chunked;q=1`', 'Transfer-Encoding: chunked;q=1\r\n', EMPTY),
  bad('frm-n03', 'an empty Transfer-Encoding', 'Transfer-Encoding:\r\n', EMPTY),
  bad('frm-n04', 'Transfer-Encoding `chunked,`', 'Transfer-Encoding: chunked,\r\n', EMPTY),
  bad('frm-n05', 'a vertical tab before `chunked`', 'Transfer-Encoding: \x0bchunked\r\n', EMPTY),
  bad('frm-n06', 'byte 00 behind `chunked`', 'Transfer-Encoding: chunked\x00\r\n', EMPTY),
  coded('frm-n07', 'Transfer-Encoding `chunked, chunked`', 'Transfer-Encoding: chunked, chunked\r\n', EMPTY),
  bad('frm-n08', 'Transfer-Encoding `chunked chunked`', 'Transfer-Encoding: chunked chunked\r\n', EMPTY),
  bad('frm-n09', 'chunked and gzip in two fields', `${CHUNKED}Transfer-Encoding: gzip\r\n`, EMPTY),
  bad('frm-n10', 'Transfer-Encoding folded onto a second line', 'Transfer-Encoding:\r\n chunked\r\n', EMPTY),
  refused(
    'frm-n11',
    'Transfer-Encoding from HTTP/1.0',
    `POST /x HTTP/1.0\r\nHost: ${HOST}\r\n${CHUNKED}\r\n${EMPTY}`,
    400,
    'bad_request',
  ),
  refused('frm-n12', 'both framing fields on a GET', framed(`${CHUNKED}${LENGTH}`, EMPTY + HIDDEN, 'GET'), 400, 'bad_request'),
  refused(
    'frm-n13',
    'both framing fields with Content-Length first, on a HEAD',
    framed(`${LENGTH}${CHUNKED}`, EMPTY + HIDDEN, 'HEAD'),
    400,
    'bad_request',
  ),
  bad('frm-n14', 'Content-Length `5, 5`', 'Content-Length: 5, 5\r\n', 'hello'),
  bad('frm-n15', 'Content-Length `5 5`', 'Content-Length: 5 5\r\n', 'hello'),
  bad('frm-n16', 'Content-Length `5.0`', 'Content-Length: 5.0\r\n', 'hello'),
  bad('frm-n17', 'Content-Length `1e1`', 'Content-Length: 1e1\r\n', 'hello'),
  bad('frm-n18', 'Content-Length `"5"`', 'Content-Length: "5"\r\n', 'hello'),
  bad('frm-n19', 'Content-Length with a no-break space', 'Content-Length: \xa05\r\n', 'hello'),
  bad('frm-n20', 'Content-Length in Arabic digits, as UTF-8', 'Content-Length: \xd9\xa5\r\n', 'hello'),
  bad('frm-n21', 'Content-Length 2^53', 'Content-Length: 9007199254740992\r\n', 'hello'),
  bad('frm-n22', 'a hundred zeros before the digits of Content-Length', `Content-Length: ${'0'.repeat(100)}5\r\n`, 'hello'),
  bad('frm-n23', 'Content-Length twice with other letters', 'content-length: 5\r\nCONTENT-LENGTH: 5\r\n', 'hello'),
  bad('frm-n24', 'a tab before the colon of Content-Length', 'Content-Length\t: 5\r\n', 'hello'),
  bad('frm-n25', 'a tab before the colon of Transfer-Encoding', 'Transfer-Encoding\t: chunked\r\n', EMPTY),
  forwarded('frm-n26', 'blanks around the digits of Content-Length', framed('Content-Length: \t5 \r\n', 'hello'), {
    body: 'hello',
    has: [['Content-Length', '5']],
  }),
  forwarded('frm-n27', 'leading zeros of Content-Length are not passed on', framed('Content-Length: 0005\r\n', 'hello'), {
    body: 'hello',
    has: [['Content-Length', '5']],
  }),
  forwarded('frm-n28', '`CHUNKED` in capitals', framed('transfer-encoding: CHUNKED\r\n', '5\r\nhello\r\n0\r\n\r\n'), {
    body: 'hello',
    has: [['transfer-encoding', 'chunked']],
  }),
  forwarded(
    'frm-n29',
    'a field whose name only begins like Transfer-Encoding frames nothing',
    framed('Transfer-Encoding-X: gzip\r\nContent-Length: 5\r\n', 'hello'),
    { body: 'hello', has: [['Transfer-Encoding-X', 'gzip']] },
  ),
  eachForwarded(
    'frm-n30',
    'every method keeps its body framed',
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].map((method) => [
      framed('Content-Length: 5\r\n', 'hello', method),
      { method, body: 'hello' },
    ]),
  ),
  eachForwarded(
    'frm-n31',
    'every method without a body stays without framing',
    ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [
      framed('', '', method),
      { method, body: '', lacks: ['transfer-encoding', 'content-length'] },
    ]),
  ),
  row(
    'frm-n32',
    'ten pipelined requests, bodies of both framings between them',
    async (stage) => {
      const client = await stage.open();
      const requests = Array.from({ length: 10 }, (_, n) =>
        n % 3 === 0 ? get(`/${n}`) : n % 3 === 1 ? post(`/${n}`, HIDDEN) : framed(CHUNKED, CHUNKED_HIDDEN).replace('/x', `/${n}`),
      );
      client.send(requests.join(''));
      for (let n = 0; n < 10; n++) checkAnswer(await client.answer(), 200, `web ${n % 3 === 0 ? 'GET' : 'POST'} /${n}`);
      equal(stage.web.requests().map(targetOf).join(), '/0,/1,/2,/3,/4,/5,/6,/7,/8,/9');
    },
    { ways: PARSED },
  ),
  row(
    'frm-n33',
    'a bad request pipelined behind a request that is still being answered waits for its turn',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await until('the client has sent all', () => stage.web.bytesSeen() > 0);
        setTimeout(() => exchange.respond('late'), 150);
      });
      const client = await stage.open();
      client.send(get('/x') + framed(CHUNKED + LENGTH, EMPTY + HIDDEN));
      checkAnswer(await client.answer(), 200, 'late');
      await checkRefusedAndClosed(client, await client.answer(), 400, 'bad_request');
      checkRequestCount(stage, 1);
    },
    { ways: PARSED },
  ),
  row(
    'frm-n34',
    'early answer to a chunked upload: the rest is never taken for a request',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('early'));
      const client = await stage.open();
      checkAnswer(await client.ask(framed(CHUNKED, '5\r\nhello\r\n')), 200, 'early');
      client.send(CHUNKED_HIDDEN + get('/SMUGGLED-2'));
      await client.isOver(3_000);
      checkRequestCount(stage, 1);
    },
    { ways: PARSED },
  ),
  row(
    'frm-n35',
    'early refusal of the application, with close, while a body with a hidden request is on the way',
    async (stage) => {
      stage.web.restart((exchange) => {
        exchange.respond('no', { status: '403 Forbidden', fields: 'Connection: close\r\n' });
        exchange.close();
      });
      const client = await stage.open();
      const whole = post('/x', HIDDEN.repeat(20));
      client.send(whole.slice(0, 400));
      checkAnswer(await client.answer(), 403, 'no');
      client.send(whole.slice(400));
      await client.isOver(3_000);
      checkRequestCount(stage, 1);
    },
    { ways: PARSED },
  ),
  row(
    'frm-n36',
    'a request is answered although its body ends a connection that the client half-closes: given up',
    async (stage) => {
      const client = await stage.open();
      client.send(post('/x', HIDDEN).slice(0, -10));
      await until('the head arrives', () => stage.web.requests().length === 1);
      client.socket.end();
      await client.isOver(2_000);
      await until('the application hears of it', () => stage.web.openCount() === 0, 1_700);
      ok(stage.web.wholeRequests().length === 0);
    },
    { ways: PARSED },
  ),
];
