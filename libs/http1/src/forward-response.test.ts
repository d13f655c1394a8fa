import { expect, test } from 'vitest';
import { forwardInterim, forwardResponse, forwardSwitch } from './forward-response.ts';
import type { RequestHead, ResponseHead } from './head.ts';
import { planResponse } from './plan-response.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { readRequestHead, readResponseHead } from './read-head.ts';

function request(line: string, ...fields: string[]): RequestHead {
  const head = readRequestHead([line, ...fields, '', ''].join('\r\n'), 100);
  if ('code' in head) throw new Error(head.reason);
  return head;
}
function response(method: string, ...lines: string[]): ResponseHead {
  const head = readResponseHead([...lines, '', ''].join('\r\n'), 100, method);
  if ('code' in head) throw new Error(head.reason);
  return head;
}
const lines = (text: string): string[] => text.slice(0, -4).split('\r\n');

function forwarded(asked: RequestHead, answer: string[], closing = false): string[] {
  const head = response(asked.method, ...answer);
  return lines(forwardResponse(head, planResponse(asked, head, closing), 'a.b', DEFAULT_POLICY));
}

const GET = request('GET / HTTP/1.1');
const HEAD = request('HEAD / HTTP/1.1');
const OLD = request('GET / HTTP/1.0');
const OLD_KEPT = request('GET / HTTP/1.0', 'Connection: keep-alive');
const CLOSING = request('GET / HTTP/1.1', 'Connection: close');
const OK = 'HTTP/1.1 200 OK';
const CL = 'Content-Length: 5';
const TE = 'Transfer-Encoding: chunked';

const rows: [title: string, got: string[], want: string[]][] = [
  [
    'names, order and duplicates',
    forwarded(GET, [
      OK,
      'X-FoO: 1',
      'Set-Cookie: a=1; Path=/',
      CL,
      'Set-Cookie: b=2',
      'WWW-Authenticate: Basic',
      'WWW-Authenticate: Bearer',
      'X-FoO: 3',
    ]),
    [
      OK,
      'X-FoO: 1',
      'Set-Cookie: a=1; Path=/',
      CL,
      'Set-Cookie: b=2',
      'WWW-Authenticate: Basic',
      'WWW-Authenticate: Bearer',
      'X-FoO: 3',
    ],
  ],
  [
    'what Connection names',
    forwarded(GET, [
      OK,
      CL,
      'Connection: keep-alive, X-Internal',
      'X-Internal: 1',
      'Keep-Alive: timeout=77',
      'Proxy-Connection: keep-alive',
      'X-Stays: 1',
    ]),
    [OK, CL, 'X-Stays: 1'],
  ],
  ['Connection cannot name the framing away', forwarded(GET, [OK, CL, 'Connection: Content-Length']), [OK, CL]],
  ['the close of the application is not the client’s', forwarded(GET, [OK, CL, 'Connection: close']), [OK, CL]],
  ['a forged code of ours', forwarded(GET, [OK, CL, 'sallyport-error: not_fresh', 'Sallyport_Error: x']), [OK, CL]],
  ['an Upgrade in a plain answer', forwarded(GET, [OK, CL, 'Upgrade: h2c', 'Connection: Upgrade']), [OK, CL]],
  ['bytes above 7f', forwarded(GET, ['HTTP/1.1 451 \xc3\xa9', CL, 'X: \xff']), ['HTTP/1.1 451 \xc3\xa9', CL, 'X: \xff']],
  ['Trailer beside a length', forwarded(GET, [OK, CL, 'Trailer: x']), [OK, CL]],
  ['Trailer beside chunks', forwarded(GET, [OK, 'Trailer: x', TE]), [OK, 'Trailer: x', TE]],
  ['chunks to HTTP/1.1', forwarded(GET, [OK, 'transfer-encoding: Chunked']), [OK, 'transfer-encoding: chunked']],
  ['chunks to HTTP/1.0', forwarded(OLD, [OK, TE, 'Trailer: x']), [OK, 'Connection: close']],
  ['chunks to HTTP/1.0 that wants to stay', forwarded(OLD_KEPT, [OK, TE]), [OK, 'Connection: close']],
  ['a body until close to HTTP/1.1', forwarded(GET, ['HTTP/1.0 200 OK']), [OK, TE]],
  ['a body until close to HTTP/1.0', forwarded(OLD, ['HTTP/1.0 200 OK']), [OK, 'Connection: close']],
  ['a length to HTTP/1.0', forwarded(OLD, [OK, CL]), [OK, CL, 'Connection: close']],
  ['a length to HTTP/1.0 that wants to stay', forwarded(OLD_KEPT, [OK, CL]), [OK, CL, 'Connection: keep-alive']],
  ['a client that closes', forwarded(CLOSING, [OK, CL]), [OK, CL, 'Connection: close']],
  ['a caller that closes', forwarded(GET, [OK, CL], true), [OK, CL, 'Connection: close']],
  ['HEAD with a length', forwarded(HEAD, [OK, CL]), [OK, CL]],
  ['HEAD with chunked', forwarded(HEAD, [OK, TE]), [OK]],
  ['HEAD with neither, to a connection that stays', forwarded(HEAD, [OK]), [OK]],
  ['304 with a length', forwarded(GET, ['HTTP/1.1 304 Not Modified', CL]), ['HTTP/1.1 304 Not Modified', CL]],
  ['304 with chunked', forwarded(GET, ['HTTP/1.1 304 Not Modified', TE]), ['HTTP/1.1 304 Not Modified']],
  ['204 with a length', forwarded(GET, ['HTTP/1.1 204 No Content', CL]), ['HTTP/1.1 204 No Content']],
  [
    '426 with its Upgrade',
    forwarded(GET, ['HTTP/1.1 426 Upgrade Required', 'Connection: Upgrade', 'Upgrade: foo/2', CL]),
    ['HTTP/1.1 426 Upgrade Required', 'Upgrade: foo/2', CL, 'Connection: Upgrade'],
  ],
  [
    '426 and close',
    forwarded(CLOSING, ['HTTP/1.1 426 Upgrade Required', 'Upgrade: foo/2', CL]),
    ['HTTP/1.1 426 Upgrade Required', 'Upgrade: foo/2', CL, 'Connection: Upgrade, close'],
  ],
  ['a cookie for the parent domain', forwarded(GET, [OK, CL, 'Set-Cookie: a=1; Domain=b']), [OK, CL, 'Set-Cookie: a=1']],
  ['an answer without a phrase', forwarded(GET, ['HTTP/1.1 200', CL]), ['HTTP/1.1 200 ', CL]],
];
test.each(rows)('forwards %s', (_title, got, want) => expect(got).toEqual(want));

test('cookies pass as they are where the service says so', () => {
  const head = response('GET', OK, CL, 'Set-Cookie: a=1; Domain=b');
  expect(forwardResponse(head, planResponse(GET, head, false), 'a.b', { ...DEFAULT_POLICY, cookies: 'pass' })).toContain(
    '; Domain=b\r\n',
  );
});

const CONTINUE = response('GET', 'HTTP/1.1 100 Continue');
const HINTS = response(
  'GET',
  'HTTP/1.1 103 Early Hints',
  'Link: a',
  'Content-Length: 3',
  'Connection: close',
  'Set-Cookie: a=1',
  'Link: b',
);
const EXPECTING = request('POST / HTTP/1.1', 'Expect: 100-Continue', 'Content-Length: 3');
const interims: [title: string, got: string, want: string][] = [
  ['a 100 to a client that waits', forwardInterim(CONTINUE, EXPECTING), 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['no 100 to one that does not', forwardInterim(CONTINUE, GET), ''],
  ['103 with its links only', forwardInterim(HINTS, GET), 'HTTP/1.1 103 Early Hints\r\nLink: a\r\nLink: b\r\n\r\n'],
  ['no 103 to HTTP/1.0', forwardInterim(HINTS, OLD), ''],
];
test.each(interims)('interim: %s', (_title, got, want) => expect(got).toBe(want));

test('a 101 keeps its Upgrade, protocol and cookies, and no framing', () => {
  const head = response(
    'GET',
    'HTTP/1.1 101 Switching Protocols',
    'connection: upgrade, x',
    'X: 1',
    'UPGRADE: WebSocket',
    'Sec-WebSocket-Accept: k',
    'Set-Cookie: a=1',
    'Set-Cookie: b=2; domain=.b',
    'Content-Length: 0',
  );
  expect(lines(forwardSwitch(head, 'a.b', DEFAULT_POLICY))).toEqual([
    'HTTP/1.1 101 Switching Protocols',
    'UPGRADE: WebSocket',
    'Sec-WebSocket-Accept: k',
    'Set-Cookie: a=1',
    'Set-Cookie: b=2',
    'Connection: Upgrade',
  ]);
});
