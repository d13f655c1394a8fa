import { deepEqual, equal } from 'node:assert/strict';
import { type FieldLine, targetOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { checkAnswer, checkSeen } from './expect.ts';
import { eachForwarded, eachRefused, forwarded, framed, get, type Options, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

const bad = (id: string, title: string, bytes: string, options?: Options): Row =>
  refused(id, title, bytes, 400, 'bad_request', options);
const head = (line: string, fields = ''): string => `${line}\r\nHost: ${HOST}\r\n${fields}\r\n`;
const HUNDRED: readonly FieldLine[] = Array.from({ length: 100 }, (_, n) => ['X-N', String(n)]);
const lines = (fields: readonly FieldLine[]): string => fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
const targets = (id: string, title: string, ...wanted: string[]): Row =>
  eachForwarded(
    id,
    title,
    wanted.map((target) => [get(target), { target }]),
  );

export const requestHead: readonly Row[] = [
  bad('head-01', 'all lines end in a bare LF: 400', `GET /x HTTP/1.1\nHost: ${HOST}\n\n`),
  bad('head-02', 'a lone CR after the request line', `GET /x HTTP/1.1\rHost: ${HOST}\r\n\r\n`),
  bad('head-03', 'CR inside a field value', get('/x', 'X: va\rlue\r\n')),
  bad('head-05', 'byte 00 in a field value', get('/x', 'X: a\x00b\r\n')),
  bad('head-06', 'byte 00 in Host', get('/x', '', `${HOST}\x00.evil.example`)),
  bad('head-07', 'byte 07 in a field value', get('/x', 'X: test\x07\r\n')),
  bad('head-09', 'a folded field line: 400', get('/x', 'X: a\r\n b\r\n')),
  bad('head-10', 'a blank before the first field', `GET /x HTTP/1.1\r\n Host: ${HOST}\r\n\r\n`),
  bad('head-12', 'an empty field name', get('/x', ': v\r\n')),
  bad('head-13', 'a line without a colon', get('/x', 'Te\r\nst: test\r\n')),
  bad('head-14', 'brackets in a field name', get('/x', 'X-Invalid[]: test\r\n')),
  forwarded('head-18', 'UTF-8 bytes in a field value arrive byte for byte', get('/x', 'X-U: \xc3\xa9 \xe4\xb8\xad\r\n'), {
    has: [['X-U', '\xc3\xa9 \xe4\xb8\xad']],
  }),
  forwarded(
    'head-19',
    'empty values, tabs around values, odd capitals',
    `GET /x HTTP/1.1\r\nhOsT:\t${HOST}\r\nX-Empty:\r\nX-Blank:   \r\nX-Tab: \t a\tb \t\r\n\r\n`,
    {
      has: [
        ['X-Empty', ''],
        ['X-Blank', ''],
        ['X-Tab', 'a\tb'],
      ],
    },
  ),
  bad('head-20', 'no HTTP version', `GET /x \r\nHost: ${HOST}\r\n\r\n`),
  refused('head-22', 'HTTP/9.9: 505', head('GET /x HTTP/9.9'), 505, 'version_refused'),
  refused('head-23', 'HTTP/1.32: 505', head('GET /x HTTP/1.32'), 505, 'version_refused'),
  bad('head-28', 'two blanks between method and target: 400', head('GET  /x HTTP/1.1')),
  bad('head-29', 'tabs instead of blanks', head('GET\t/x\tHTTP/1.1')),
  bad('head-31', 'a method with quotes and brackets', head('G=":<>(e)],[T];?" /x HTTP/1.1')),
  forwarded('head-33', 'a made-up method passes', head('FROBNICATE /x HTTP/1.1'), { method: 'FROBNICATE', target: '/x' }),
  eachForwarded(
    'head-34',
    'WebDAV and other registered methods pass',
    ['PROPFIND', 'REPORT', 'MKCOL', 'PATCH', 'OPTIONS'].map((method) => [head(`${method} /x HTTP/1.1`), { method }]),
  ),
  eachRefused(
    'head-35',
    'CONNECT is refused in every form',
    [`CONNECT ${HOST}:443`, 'CONNECT /x', `CONNECT http://${HOST}/`].map((start) => head(`${start} HTTP/1.1`)),
    405,
    'method_refused',
  ),
  forwarded('head-38', 'OPTIONS * is forwarded as *', head('OPTIONS * HTTP/1.1'), { method: 'OPTIONS', target: '*' }),
  eachRefused(
    'head-39',
    'GET * and GET *foo',
    ['*', '*foo'].map((target) => get(target)),
    400,
    'bad_request',
  ),
  eachRefused(
    'head-40',
    'a target without a slash',
    [get('admin'), get(`${HOST}:80`), head('OPTIONS */test HTTP/1.1')],
    400,
    'bad_request',
  ),
  targets('head-41', 'targets // and //evil.example/x pass unchanged', '//', '//evil.example/a?b=c@d', '///x'),
  targets('head-42', 'percent escapes, @ and quotes are not touched', "/x/a%2Fb/%252e%2e/@x/'y'/%7Ez?q=%zz&&=;"),
  targets('head-44', 'quotes, pipes, carets, braces in the target pass', '/x?a="b"|c^d{e}f<g>'),
  targets('head-47', 'query only of question marks, trailing question mark', '/x??&?=?'),
  targets('head-49', 'a target of 6,000 bytes', `/x/${'a'.repeat(5_997)}`),
  targets('head-50', 'byte E9 in the target passes', '/x/\xe9'),
  bad('head-51', 'a blank in the target', get('/x/a b')),
  bad('head-53', 'user information in an absolute target: 400', get(`https://user:pw@${HOST}/x`)),
  forwarded('head-55', 'a cookie of 7,000 bytes passes', get('/x', `Cookie: ${'c'.repeat(7_000)}\r\n`), {
    has: [['Cookie', 'c'.repeat(7_000)]],
  }),
  forwarded(
    'head-56',
    'a cookie of 17,000 bytes passes',
    get('/x', `Cookie: ${'c'.repeat(17_000)}\r\n`),
    { has: [['Cookie', 'c'.repeat(17_000)]] },
    { ways: ['whole', 'second'] },
  ),
  refused('head-57', 'a head of 1 MiB is refused: 431', get('/x', `X: ${'x'.repeat(1_048_576)}\r\n`), 431, 'headers_too_large', {
    ways: ['whole', 'second'],
  }),
  forwarded('head-59', 'a hundred fields pass in order', get('/x', lines(HUNDRED)), { lines: HUNDRED }),
  forwarded('head-61', 'a head sent byte by byte', get('/x'), { target: '/x' }, { ways: ['single-bytes'] }),

  // Neighbours: control bytes and line ends in every place
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
