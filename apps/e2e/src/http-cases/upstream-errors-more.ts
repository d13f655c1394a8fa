import { equal, ok } from 'node:assert/strict';
import { HOST } from '../stage/stage.ts';
import { checkRefusal } from './expect.ts';
import { badAnswer, get, post } from './makers.ts';
import { type Row, row } from './row.ts';
import { answer, badLater, chunked, HANDSHAKE, OK, SWITCH } from './upstream-errors.ts';

/** Neighbours of the section. */
export const upstreamErrorsMore: readonly Row[] = [
  badAnswer('app-n01', 'Transfer-Encoding `identity`', `${OK}Transfer-Encoding: identity\r\n\r\nok`, 'closes'),
  badAnswer('app-n02', 'Transfer-Encoding `gzip, chunked`', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  badAnswer(
    'app-n03',
    'Transfer-Encoding in HTTP/1.0',
    'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ),
  badAnswer('app-n04', 'a no-break space around chunked', `${OK}Transfer-Encoding: \xa0chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  badAnswer('app-n05', 'Content-Length above 2^64', `${OK}Content-Length: 18446744073709551618\r\n\r\nok`),
  badAnswer('app-n06', 'Content-Length `2, 2`', `${OK}Content-Length: 2, 2\r\n\r\nok`),
  badAnswer('app-n07', 'a folded field line', answer('X: a\r\n b\r\n')),
  badAnswer('app-n08', 'a line without a colon', answer('nonsense\r\n')),
  badAnswer('app-n09', 'a bare LF between two fields', answer('X: a\nY: b\r\n')),
  badAnswer('app-n10', 'CR CR LF', answer('X: a\r\r\n')),
  badAnswer('app-n11', 'an empty field name', answer(': v\r\n')),
  badAnswer('app-n12', 'status 1000', 'HTTP/1.1 1000 High\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n13', 'a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n14', 'no status', 'HTTP/1.1\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n15', 'HTTP/2.0 in a status line', 'HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n16', 'HTTP/1.2 in a status line', 'HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n17', 'two blanks before the status', 'HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n18', 'a control byte in the reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok'),
  badAnswer('app-n19', 'an empty line before the status line', `\r\n${answer('')}`),
  badAnswer('app-n20', 'an answer of HTTP/0.9: only a body', '<html>hello</html>', 'closes'),
  badAnswer('app-n21', '200 fields', `${OK}${'X: 1\r\n'.repeat(200)}Content-Length: 2\r\n\r\nok`, 'stays', { ways: ['whole'] }),
  badAnswer('app-n22', '101 without Upgrade to a WebSocket handshake', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'stays', {
    request: get('/x', HANDSHAKE),
  }),
  badAnswer(
    'app-n23',
    '101 to another protocol than WebSocket',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    'stays',
    { request: get('/x', HANDSHAKE) },
  ),
  badAnswer('app-n24', '101 to HEAD', SWITCH, 'stays', { request: get('/x').replace('GET', 'HEAD') }),
  badAnswer('app-n25', 'the bad answer to HEAD is told without a body', `${OK}Content-Length: x\r\n\r\n`, 'stays', {
    request: get('/x').replace('GET', 'HEAD'),
  }),
  badAnswer('app-n26', '100 whose head is malformed', 'HTTP/1.1 100 Continue\r\nX : 1\r\n\r\n'),
  badAnswer('app-n27', 'a TLS record: the application speaks HTTPS', '\x15\x03\x01\x00\x02\x02\x46', 'closes'),
  badAnswer('app-n28', 'a good status line in small letters', 'http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  badLater('app-n30', 'a bare LF after a chunk size', chunked('2\r\nok\r\n5\nhello\r\n0\r\n\r\n'), 'ok'),
  badLater('app-n31', 'more data than the chunk size says', chunked('2\r\nokhello\r\n0\r\n\r\n'), 'ok'),
  badLater('app-n32', 'a negative chunk size', chunked('2\r\nok\r\n-1\r\nhello\r\n0\r\n\r\n'), 'ok'),
  badLater('app-n33', 'a chunk size with 0x', chunked('2\r\nok\r\n0x5\r\nhello\r\n0\r\n\r\n'), 'ok'),
  badLater('app-n34', 'a malformed trailer', chunked('2\r\nok\r\n0\r\nX : 1\r\n\r\n'), 'ok'),
  badLater(
    'app-n35',
    'a control byte in a trailer: no splitting',
    chunked('2\r\nok\r\n0\r\nX: a\rSet-Cookie: evil=1\r\n\r\n'),
    'ok',
  ),
  row(
    'app-n36',
    'a bad answer to a request with Expect: 502 without 100',
    async (stage) => {
      stage.web.restart((exchange) => exchange.send('NONSENSE\r\n\r\n'));
      const client = await stage.open();
      const before = client.messages.length;
      checkRefusal(await client.ask(post('/x', 'hello', 'Expect: 100-continue\r\n').slice(0, -5)), 502, 'app_protocol');
      equal(client.messages.length, before + 1);
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  ),
  row('app-n37', 'what was wrong is told to the log and not to the client', async (stage) => {
    stage.web.restart((exchange) => exchange.send('HTTP/1.1 200 OK\r\nX-Secret-Name : 1\r\n\r\n'));
    const client = await stage.open();
    const got = await client.ask(get('/x', 'Accept: text/html\r\n'));
    checkRefusal(got, 502, 'app_protocol');
    ok(!/secret|token|127\.0\.0\.1|:\d{4,5}/i.test(got.body()), got.body());
    const record = stage.supervisor.records.find(({ code }) => code === 'app_protocol');
    equal(record?.reason, 'a field name that is no token');
    equal(record?.host, HOST);
  }),
];
