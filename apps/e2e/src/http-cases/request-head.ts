import type { FieldLine } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { eachForwarded, eachRefused, forwarded, get, type Options, refused } from './makers.ts';
import type { Row } from './row.ts';

export const bad = (id: string, title: string, bytes: string, options?: Options): Row =>
  refused(id, title, bytes, 400, 'bad_request', options);
export const head = (line: string, fields = ''): string => `${line}\r\nHost: ${HOST}\r\n${fields}\r\n`;
export const HUNDRED: readonly FieldLine[] = Array.from({ length: 100 }, (_, n) => ['X-N', String(n)]);
export const lines = (fields: readonly FieldLine[]): string => fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
export const targets = (id: string, title: string, ...wanted: string[]): Row =>
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
];
