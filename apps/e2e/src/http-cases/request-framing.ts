import { equal } from 'node:assert/strict';
import { statusOf } from '../stage/message.ts';
import { checkAnswer, checkRefusedAndClosed, checkRequestCount, checkSeen } from './expect.ts';
import { forwarded, framed, get, HIDDEN, hex, type Options, post, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

export const CHUNKED = 'Transfer-Encoding: chunked\r\n';
export const LENGTH = `Content-Length: ${HIDDEN.length}\r\n`;
/** The hidden request as one good chunk. */
export const CHUNKED_HIDDEN = `${hex(HIDDEN)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
export const EMPTY = '0\r\n\r\n';

/** Refused for a fault in the fields that frame the body. */
export const bad = (id: string, title: string, fields: string, rest: string, options?: Options): Row =>
  refused(id, title, framed(fields, rest), 400, 'bad_request', options);
export const coded = (id: string, title: string, fields: string, rest: string): Row =>
  refused(id, title, framed(fields, rest), 501, 'coding_refused');

export const requestFraming: readonly Row[] = [
  bad(
    'frm-01',
    'Content-Length and Transfer-Encoding together, the body hides a request',
    `Content-Length: ${HIDDEN.length + 5}\r\n${CHUNKED}`,
    EMPTY + HIDDEN,
  ),
  bad('frm-03', 'Transfer-Encoding `,chunked`', 'Transfer-Encoding: ,chunked\r\n', EMPTY),
  coded('frm-05', 'Transfer-Encoding `gzip, chunked`', 'Transfer-Encoding: gzip, chunked\r\n', '2\r\nzz\r\n0\r\n\r\n'),
  coded('frm-06', 'Transfer-Encoding `chunked, gzip`', 'Transfer-Encoding: chunked, gzip\r\n', '2\r\nzz\r\n0\r\n\r\n'),
  bad('frm-08', 'Transfer-Encoding twice', CHUNKED + CHUNKED, '1\r\nZ\r\n0\r\n\r\n'),
  coded('frm-10', 'unknown Transfer-Encoding', 'Transfer-Encoding: xchunked\r\n', CHUNKED_HIDDEN),
  bad('frm-12', 'Transfer-Encoding `identity`', 'Transfer-Encoding: identity\r\nContent-Length: 5\r\n', 'hello'),
  bad('frm-13', 'no-break spaces around `chunked`', 'Transfer-Encoding: \xa0chunked\xa0\r\n', CHUNKED_HIDDEN),
  bad('frm-16', '`"chunked"` in quotes', 'Transfer-Encoding: "chunked"\r\nContent-Length: 4\r\n', CHUNKED_HIDDEN),
  bad(
    'frm-17',
    'a blank before the colon of Transfer-Encoding',
    `Transfer-Encoding : chunked\r\nContent-Length: ${CHUNKED_HIDDEN.length}\r\n`,
    CHUNKED_HIDDEN,
  ),
  refused(
    'frm-18',
    'a blank before the colon of Content-Length',
    framed(`Content-Length : ${HIDDEN.length}\r\n`, HIDDEN, 'GET'),
    400,
    'bad_request',
  ),
  bad('frm-20', 'a field name continued on the next line', 'Transfer-\r\nEncoding: chunked\r\nContent-Length: 5\r\n', EMPTY),
  bad('frm-23', 'two different Content-Length fields', `Content-Length: 0\r\n${LENGTH}`, HIDDEN),
  bad('frm-24', 'the same Content-Length twice: 400', 'Content-Length: 5\r\nContent-Length: 5\r\n', 'hello'),
  bad('frm-26', 'an empty Content-Length before a real one', `Content-Length: \r\n${LENGTH}`, HIDDEN),
  bad('frm-27', 'an empty Content-Length', 'Content-Length: \r\n', ''),
  bad('frm-28', 'Content-Length `+5`', 'Content-Length: +5\r\n', 'hello'),
  bad('frm-30', 'Content-Length `0x10`', 'Content-Length: 0x10\r\n', 'Z'),
  bad('frm-31', 'a negative Content-Length', 'Content-Length: -48\r\n', ''),
  bad('frm-33', 'letters after the digits of Content-Length', 'Content-Length: 1Z\r\n', 'Z'),
  bad('frm-34', 'Content-Length just above 2^64', 'Content-Length: 18446744073709551621\r\n', 'hello'),
  forwarded(
    'frm-60',
    'DELETE with a chunked body that reads like a request: forwarded',
    framed(CHUNKED, CHUNKED_HIDDEN, 'DELETE'),
    { method: 'DELETE', body: HIDDEN },
  ),
  forwarded('frm-62', 'GET with Content-Length whose body reads like a request: forwarded', framed(LENGTH, HIDDEN, 'GET'), {
    method: 'GET',
    body: HIDDEN,
  }),
  forwarded('frm-63', 'HEAD with Content-Length whose body reads like a request: forwarded', framed(LENGTH, HIDDEN, 'HEAD'), {
    method: 'HEAD',
    body: HIDDEN,
  }),
  forwarded(
    'frm-64',
    'DELETE with Content-Length 5: the body arrives framed',
    framed('Content-Length: 5\r\n', 'hello', 'DELETE'),
    { method: 'DELETE', body: 'hello', has: [['Content-Length', '5']] },
  ),
  forwarded('frm-65', 'DELETE without a body stays without one', framed('', '', 'DELETE'), {
    method: 'DELETE',
    body: '',
    lacks: ['transfer-encoding', 'content-length'],
  }),
  refused(
    'frm-66',
    '1100 small fields before Content-Length: 431',
    framed(`${'a: 1\r\n'.repeat(1_100)}${LENGTH}`, HIDDEN, 'GET'),
    431,
    'headers_too_large',
  ),
  forwarded(
    'frm-69',
    'Connection names Content-Length: the framing stays',
    framed(`Connection: close, Content-Length\r\n${LENGTH}`, HIDDEN),
    { body: HIDDEN, has: [['Content-Length', String(HIDDEN.length)]] },
  ),
  forwarded(
    'frm-70',
    'Connection names Transfer-Encoding: the framing stays',
    framed(`Connection: keep-alive, Transfer-Encoding\r\n${CHUNKED}`, CHUNKED_HIDDEN, 'DELETE'),
    { body: HIDDEN, has: [['Transfer-Encoding', 'chunked']] },
  ),
  forwarded(
    'frm-71',
    'POST with `Upgrade: tcp` and a body that reads like a request: plain HTTP',
    framed(`Connection: Upgrade\r\nUpgrade: tcp\r\n${LENGTH}`, HIDDEN),
    { body: HIDDEN, lacks: ['upgrade'] },
  ),
  refused(
    'frm-74',
    'CR LF CR and another byte is not the end of the head',
    `${framed('', '', 'GET').slice(0, -2)}\rZ${HIDDEN}`,
    400,
    'bad_request',
  ),
  bad('frm-75', 'bare LF between two fields hides Content-Length', `Dummy: x\n${LENGTH}`, HIDDEN),
  refused(
    'frm-80',
    'the HTTP/2 preface: 505',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00',
    505,
    'version_refused',
  ),
  row(
    'frm-81',
    'two pipelined GETs: two requests, two answers, in order',
    async (stage) => {
      const client = await stage.open();
      client.send(get('/x?n=1') + get('/x?n=2'));
      for (const n of [1, 2]) checkAnswer(await client.answer(), 200, `web GET /x?n=${n}`);
      checkRequestCount(stage, 2);
    },
    { ways: PARSED },
  ),
  row(
    'frm-82',
    'three pipelined requests, the second with a body that reads like a third',
    async (stage) => {
      const client = await stage.open();
      client.send(post('/x?n=1', '') + post('/x?n=2', HIDDEN) + get('/x?n=3'));
      for (const [n, method] of [
        [1, 'POST'],
        [2, 'POST'],
        [3, 'GET'],
      ] as const)
        checkAnswer(await client.answer(), 200, `web ${method} /x?n=${n}`);
      checkRequestCount(stage, 3);
      checkSeen(stage.web.requests()[1], { body: HIDDEN });
    },
    { ways: PARSED },
  ),
  row(
    'frm-83',
    'a good request with garbage pipelined behind it: 200, then 400 and closed',
    async (stage) => {
      const client = await stage.open();
      client.send(`${get('/x')}GARBAGE\r\n\r\n`);
      checkAnswer(await client.answer(), 200, 'web GET /x');
      await checkRefusedAndClosed(client, await client.answer(), 400, 'bad_request');
      checkRequestCount(stage, 1);
    },
    { ways: PARSED },
  ),
  row(
    'frm-85',
    'early answer on keep-alive: the rest of the body is never taken for a request',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('early'));
      const client = await stage.open();
      const body = 'x'.repeat(1_000) + HIDDEN;
      const answer = await client.ask(post('/x', body).slice(0, -body.length));
      checkAnswer(answer, 200, 'early');
      client.send(body);
      await client.isOver(3_000);
      equal(client.messages.filter((each) => statusOf(each) === 200 && each.body() === 'early').length, 1);
      checkRequestCount(stage, 1);
    },
    { ways: PARSED },
  ),
  forwarded(
    'frm-86',
    'valid chunks in every spelling arrive as the same bytes',
    framed(CHUNKED, 'A\r\n0123456789\r\na\r\nabcdefghij\r\n0005;ext=1;b="q"\r\nhello\r\n000\r\n\r\n'),
    { body: '0123456789abcdefghijhello', lacks: ['ext', 'b'] },
  ),
  forwarded('frm-88', 'empty lines before the request line are ignored', `\r\n\r\n${get('/x')}`, { target: '/x' }),
];
