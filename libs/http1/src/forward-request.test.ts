import { expect, test } from 'vitest';
import { checkRequest } from './check-request.ts';
import { forwardRequest } from './forward-request.ts';
import { continueForwardedFor, statedAddresses } from './forwarded.ts';
import { DEFAULT_POLICY, type ServicePolicy } from './policy.ts';
import { readRequestHead } from './read-head.ts';

const PEER = '192.0.2.7';

/** The forwarded head without its last three lines, which are the same in nearly every row. */
function forwarded(lines: string[], policy: Partial<ServicePolicy> = {}, line = 'GET /x HTTP/1.1'): string[] {
  const all = wholeForwarded(lines, policy, line);
  expect(all.slice(-3)).toEqual([
    `X-Forwarded-For: ${PEER}`,
    'X-Forwarded-Proto: https',
    expect.stringMatching(/^X-Forwarded-Host: a\.b(:8443)?$/),
  ]);
  return all.slice(0, -3);
}
function wholeForwarded(lines: string[], policy: Partial<ServicePolicy>, line: string): string[] {
  const host = lines.some((field) => /^host:/i.test(field)) ? [] : ['Host: a.b'];
  const head = readRequestHead([line, ...host, ...lines, '', ''].join('\r\n'), 100);
  if ('code' in head) throw new Error(head.reason);
  const checked = checkRequest(head);
  if (!checked.ok) throw new Error(checked.error.reason);
  const text = forwardRequest(head, checked.value, { policy: { ...DEFAULT_POLICY, ...policy }, port: 3000, forwardedFor: PEER });
  expect(text.endsWith('\r\n\r\n')).toBe(true);
  return text.slice(0, -4).split('\r\n');
}
const START = ['GET /x HTTP/1.1', 'Host: a.b'];

const rows: [title: string, lines: string[], want: string[]][] = [
  ['nothing but Host', [], []],
  [
    'names, order and duplicates',
    ['X-FoO: 1', 'x-bar: 2', 'X-FoO: 3', 'Cookie: a=1', 'Cookie: b=2', 'ACCEPT: */*'],
    ['X-FoO: 1', 'x-bar: 2', 'X-FoO: 3', 'Cookie: a=1', 'Cookie: b=2', 'ACCEPT: */*'],
  ],
  [
    'credentials of the application',
    ['Authorization: Bearer abc==', 'Origin: https://c.d', 'Range: bytes=0-1'],
    ['Authorization: Bearer abc==', 'Origin: https://c.d', 'Range: bytes=0-1'],
  ],
  ['what Connection names', ['Connection: close, X-Secret', 'X-Secret: 1', 'x-secret: 2', 'X-Stays: 1'], ['X-Stays: 1']],
  ['what two Connection fields name', ['Connection: A', 'connection: b', 'a: 1', 'B: 1', 'C: 1'], ['C: 1']],
  [
    'hop-by-hop fields that nobody names',
    ['Keep-Alive: timeout=9', 'Proxy-Connection: keep-alive', 'Proxy-Authorization: x', 'HTTP2-Settings: AA', 'Upgrade: h2c'],
    [],
  ],
  ['Connection cannot name the framing away', ['Connection: close, Content-Length', 'Content-Length: 5'], ['Content-Length: 5']],
  [
    'Connection cannot name chunked away',
    ['Connection: Transfer-Encoding', 'Transfer-Encoding: Chunked'],
    ['Transfer-Encoding: chunked'],
  ],
  [
    'Connection cannot name Host or our fields away',
    ['Connection: Host, X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host'],
    [],
  ],
  ['a length is written as it was understood', ['Content-Length: 0005'], ['Content-Length: 5']],
  ['no TE but trailers', ['TE: gzip, trailers;q=0.5', 'Connection: TE'], ['Connection: TE', 'TE: trailers']],
  ['TE: trailers once', ['TE: trailers', 'TE: trailers'], ['Connection: TE', 'TE: trailers']],
  ['TE without trailers', ['TE: gzip'], []],
  [
    'forged forwarding fields',
    [
      'X-Forwarded-For: 6.6.6.6',
      'X-Forwarded-For: 6.6.6.6',
      'Forwarded: for=6.6.6.6',
      'X-Real-IP: 6.6.6.6',
      'X-Forwarded-Host: e',
      'X-Forwarded-Proto: gopher',
      'X-Forwarded-Anything: 1',
    ],
    [],
  ],
  [
    'spellings that CGI folds into them',
    [
      'X_Forwarded_For: 6',
      'x-forwarded_for: 6',
      'X-Forwarded.For: 6',
      'X_Real_IP: 6',
      'FORWARDED: for=6',
      'X_FORWARDED-PROTO: 6',
    ],
    [],
  ],
  ['our own fields', ['sallyport-error: x', 'Sallyport_Anything: x'], []],
  [
    'names that only look alike',
    ['X-Forward: 1', 'Forwarded-By: 1', 'X-Real-IPs: 1', 'XForwardedFor: 1'],
    ['X-Forward: 1', 'Forwarded-By: 1', 'X-Real-IPs: 1', 'XForwardedFor: 1'],
  ],
  ['100-continue', ['Expect: 100-continue', 'Content-Length: 3'], ['Expect: 100-continue', 'Content-Length: 3']],
  ['Trailer with chunks', ['Trailer: X', 'Transfer-Encoding: chunked'], ['Trailer: X', 'Transfer-Encoding: chunked']],
  ['no Trailer without chunks', ['Trailer: X', 'Content-Length: 3'], ['Content-Length: 3']],
  ['bytes above 7f', ['X: \xc3\xa9'], ['X: \xc3\xa9']],
  ['other upgrades go on as plain requests', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AA'], []],
];
test.each(rows)('forwards %s', (_title, lines, want) => expect(forwarded(lines)).toEqual([...START, ...want]));

test('HTTP/1.0 becomes HTTP/1.1 and loses what it cannot mean', () => {
  expect(forwarded(['Expect: 100-continue', 'Connection: keep-alive'], {}, 'GET /x HTTP/1.0')).toEqual(START);
});

test('an absolute target leaves in origin form, Host in its plain spelling', () => {
  expect(forwarded(['hOsT: A.B.:8443'], {}, 'GET http://a.b/y HTTP/1.1')).toEqual(['GET /y HTTP/1.1', 'hOsT: a.b:8443']);
});

const KEY = 'sEc-WebSocket-KEY: dGhlIHNhbXBsZSBub25jZQ==';
const socket = [
  'connection: keep-alive, Upgrade, X-Secret',
  'Connection: x',
  'Upgrade: WebSocket',
  KEY,
  'Sec-WebSocket-Version: 13',
  'X-Secret: 1',
  'X-b: 2',
  'X-Forwarded-For: 6',
];
test('a handshake keeps its Upgrade as sent and obeys the other rules', () => {
  expect(forwarded(socket)).toEqual([
    ...START,
    'connection: Upgrade',
    'Upgrade: WebSocket',
    KEY,
    'Sec-WebSocket-Version: 13',
    'X-b: 2',
  ]);
});

const policies: [
  title: string,
  policy: Partial<ServicePolicy>,
  origin: string,
  wantHost: string,
  wantOrigin: string | undefined,
][] = [
  ['public, keep', {}, 'https://a.b', 'a.b', 'https://a.b'],
  ['loopback, keep', { host: 'loopback' }, 'https://a.b', 'localhost:3000', 'https://a.b'],
  ['a value, keep', { host: { value: 'dev.test' } }, 'https://a.b', 'dev.test', 'https://a.b'],
  [
    'loopback, match-host',
    { host: 'loopback', origin: 'match-host' },
    'https://A.b:8443',
    'localhost:3000',
    'https://localhost:3000',
  ],
  ['a value, match-host', { host: { value: 'dev.test' }, origin: 'match-host' }, 'https://a.b', 'dev.test', 'https://dev.test'],
  ['public, match-host', { origin: 'match-host' }, 'https://a.b:8443', 'a.b', 'https://a.b'],
  [
    'match-host leaves a foreign origin',
    { host: 'loopback', origin: 'match-host' },
    'https://evil.example',
    'localhost:3000',
    'https://evil.example',
  ],
  ['match-host leaves null', { host: 'loopback', origin: 'match-host' }, 'null', 'localhost:3000', 'null'],
  [
    'match-host leaves a name that only begins alike',
    { host: 'loopback', origin: 'match-host' },
    'https://a.b.evil.example',
    'localhost:3000',
    'https://a.b.evil.example',
  ],
  ['strip', { origin: 'strip' }, 'https://a.b', 'a.b', undefined],
];
test.each(policies)('policy %s', (_title, policy, origin, wantHost, wantOrigin) => {
  for (const lines of [[], ['Connection: Upgrade', 'Upgrade: websocket', KEY, 'Sec-WebSocket-Version: 13']]) {
    const out = forwarded([...lines, `Origin: ${origin}`], policy);
    expect(out.filter((line) => /^(host|origin):/i.test(line))).toEqual([
      `Host: ${wantHost}`,
      ...(wantOrigin === undefined ? [] : [`Origin: ${wantOrigin}`]),
    ]);
  }
});

test('a trusted ingress is continued', () => {
  const head = readRequestHead(
    'GET / HTTP/1.1\r\nX-Forwarded-For: 1.1.1.1 ,, 2.2.2.2\r\nX_Forwarded_For: 6\r\nx-forwarded-for: ::3\r\n\r\n',
    100,
  );
  if ('code' in head) throw new Error(head.reason);
  expect(statedAddresses(head)).toEqual(['1.1.1.1', '2.2.2.2', '::3']);
  expect(continueForwardedFor(head, PEER)).toBe(`1.1.1.1, 2.2.2.2, ::3, ${PEER}`);
});
