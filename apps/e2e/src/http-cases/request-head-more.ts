import { deepEqual, equal } from 'node:assert/strict';
import { targetOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { checkAnswer, checkSeen } from './expect.ts';
import { eachForwarded, eachRefused, forwarded, framed, get, refused } from './makers.ts';
import { bad, HUNDRED, head, lines, targets } from './request-head.ts';
import { PARSED, type Row, row } from './row.ts';

/** Neighbours: control bytes and line ends in every place. */
export const requestHeadMore: readonly Row[] = [
  bad('head-n01', 'a bare LF in the middle of a good head', get('/x', 'X-A: 1\nX-B: 2\r\n')),
  bad('head-n02', 'LF CR instead of CR LF', `GET /x HTTP/1.1\n\rHost: ${HOST}\r\n\r\n`),
  bad('head-n03', 'CR CR LF at a line end', get('/x', 'X-A: 1\r\r\n')),
  bad('head-n04', 'byte 00 in a field name', get('/x', 'X\x00A: 1\r\n')),
  bad('head-n05', 'byte 00 in the target', get('/x\x00y')),
  bad('head-n06', 'byte 00 in the method', head('G\x00ET /x HTTP/1.1')),
  bad('head-n07', 'byte 7F in a field value', get('/x', 'X: a\x7fb\r\n')),
  bad('head-n08', 'a vertical tab in a field value', get('/x', 'X: a\x0bb\r\n')),
  bad('head-n09', 'ESC in a field value', get('/x', 'X: \x1b[31m\r\n')),
  bad('head-n10', 'byte 80 in a field name', get('/x', 'X\x80: 1\r\n')),
  bad('head-n11', 'a folded line whose second half is a field', get('/x', 'X: a\r\n\tHost: other.example\r\n')),
  bad('head-n12', 'a fold behind the request line', `GET /x HTTP/1.1\r\n X: 1\r\nHost: ${HOST}\r\n\r\n`),
  bad('head-n13', 'a blank before the colon of Host', `GET /x HTTP/1.1\r\nHost : ${HOST}\r\n\r\n`),
  bad('head-n14', 'a blank before the colon of an unknown field', get('/x', 'X-A : 1\r\n')),
  bad('head-n15', 'a blank inside a field name', get('/x', 'X A: 1\r\n')),
  bad('head-n16', 'a quote in a field name', get('/x', 'X"A: 1\r\n')),
  bad('head-n17', 'a field line of one colon', get('/x', ':\r\n')),
  bad('head-n18', 'a byte order mark before the method', `\xef\xbb\xbf${get('/x')}`),
  bad('head-n19', 'a blank before the method', ` ${get('/x')}`),
  bad('head-n20', 'five line ends before the request line', `${'\r\n'.repeat(5)}${get('/x')}`),
  bad('head-n21', 'a bare LF before the request line', `\n${get('/x')}`),
  bad('head-n22', 'a bare CR before the request line', `\r${get('/x')}`),
  bad('head-n23', 'a blank behind the version', head('GET /x HTTP/1.1 ')),
  bad('head-n24', 'two blanks before the version', head('GET /x  HTTP/1.1')),
  bad('head-n25', 'the version in small letters', head('GET /x http/1.1')),
  bad('head-n26', 'HTTP/1', head('GET /x HTTP/1')),
  bad('head-n27', 'HTTP/1.1.1', head('GET /x HTTP/1.1.1')),
  bad('head-n28', 'HTTP/+1.1', head('GET /x HTTP/+1.1')),
  bad('head-n29', 'another protocol in the version', head('GET /x ICAP/1.0')),
  refused('head-n30', 'HTTP/2.0: 505', head('GET /x HTTP/2.0'), 505, 'version_refused'),
  refused('head-n31', 'HTTP/0.9: 505', head('GET /x HTTP/0.9'), 505, 'version_refused'),
  bad('head-n32', 'a request line of HTTP/0.9', 'GET /x\r\n\r\n'),
  bad('head-n33', 'a fragment in the target', get('/x#y')),
  bad('head-n34', 'byte 7F in the target', get('/x\x7f')),
  bad('head-n35', 'a tab in the target', get('/x\ty')),
  bad('head-n36', 'an empty target', head('GET  HTTP/1.1')),
  bad('head-n37', 'a target that is only a query', get('?x')),
  bad('head-n38', 'a backslash before the path', get('\\x')),
  bad('head-n39', 'an absolute target of another scheme', get(`ftp://${HOST}/x`)),
  bad('head-n40', 'an absolute target without an authority', get('https:///x')),
  bad('head-n41', 'an absolute target with two trailing dots', get(`https://${HOST}../x`)),
  eachForwarded('head-n42', 'absolute targets in other spellings of the same host', [
    [get(`HTTPS://${HOST.toUpperCase()}/x`), { target: '/x' }],
    [get(`https://${HOST}:8443/x`), { target: '/x' }],
    [get(`https://${HOST}./x`), { target: '/x' }],
    [get(`https://${HOST}`), { target: '/' }],
    [get(`https://${HOST}?a=b`), { target: '/?a=b' }],
    [head(`OPTIONS https://${HOST} HTTP/1.1`), { target: '*' }],
  ]),
  targets(
    'head-n43',
    'dots, colons and backslashes in a path are not touched',
    '/../x',
    '/./x',
    '/x/..%5c..',
    '/a:b',
    '/x\\y',
    '/;a=b/,c',
  ),
  refused('head-n44', '129 fields: 431', get('/x', lines(HUNDRED) + lines(HUNDRED.slice(0, 28))), 431, 'headers_too_large'),
  forwarded('head-n45', '128 fields, Host among them, pass', get('/x', lines([...HUNDRED, ...HUNDRED.slice(0, 27)])), {
    lines: [...HUNDRED, ...HUNDRED.slice(0, 27)],
  }),
  refused('head-n46', 'a field name of 40,000 bytes: 431', get('/x', `${'x'.repeat(40_000)}: 1\r\n`), 431, 'headers_too_large', {
    ways: ['whole', 'second'],
  }),
  refused('head-n47', 'a target of 40,000 bytes: 431', get(`/${'x'.repeat(40_000)}`), 431, 'headers_too_large', {
    ways: ['whole', 'second'],
  }),
  refused('head-n48', 'a method of 40,000 bytes: 431', head(`${'X'.repeat(40_000)} /x HTTP/1.1`), 431, 'headers_too_large', {
    ways: ['whole', 'second'],
  }),
  row(
    'head-n49',
    'a head at the limit passes, and one byte more is refused',
    async (stage) => {
      const bare = get('/x', 'X: \r\n').length;
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x', `X: ${'x'.repeat(32_768 - bare)}\r\n`)), 200);
      const over = await stage.open();
      checkAnswer(await over.ask(get('/x', `X: ${'x'.repeat(32_769 - bare)}\r\n`)), 431);
      equal(stage.web.requests().length, 1);
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  eachRefused(
    'head-n50',
    'CONNECT with a body, in HTTP/1.0, and in small letters as a path',
    [framed('Content-Length: 5\r\n', 'hello', 'CONNECT'), `CONNECT ${HOST}:443 HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`],
    405,
    'method_refused',
  ),
  eachForwarded(
    'head-n51',
    'methods are told apart by case',
    ['get', 'Connect', 'pri'].map((method) => [head(`${method} /x HTTP/1.1`), { method }]),
  ),
  forwarded(
    'head-n52',
    'every visible byte and every high byte in a value',
    get(
      '/x',
      `X: ${Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join('')}${Array.from({ length: 128 }, (_, n) => String.fromCharCode(128 + n)).join('')}\r\n`,
    ),
    {
      has: [
        [
          'X',
          `${Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join('')}${Array.from({ length: 128 }, (_, n) => String.fromCharCode(128 + n)).join('')}`,
        ],
      ],
    },
  ),
  forwarded('head-n53', 'every character of a token in a field name', get('/x', "!#$%&'*+-.^_`|~09azAZ: 1\r\n"), {
    has: [["!#$%&'*+-.^_`|~09azAZ", '1']],
  }),
  row(
    'head-n54',
    'one empty line between two requests is ignored',
    async (stage) => {
      const client = await stage.open();
      client.send(`${get('/1')}\r\n${get('/2')}`);
      checkAnswer(await client.answer(), 200, 'web GET /1');
      checkAnswer(await client.answer(), 200, 'web GET /2');
      deepEqual(stage.web.requests().map(targetOf), ['/1', '/2']);
      checkSeen(stage.web.requests()[1], { target: '/2' });
    },
    { ways: PARSED },
  ),
];
