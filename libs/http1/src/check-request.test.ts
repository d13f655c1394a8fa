import { expect, test } from 'vitest';
import { checkRequest, mayRepeat } from './check-request.ts';
import type { RequestHead } from './head.ts';
import { readRequestHead } from './read-head.ts';

function parse(line: string, ...fields: string[]): RequestHead {
  const head = readRequestHead([line, ...fields, '', ''].join('\r\n'), 100);
  if ('code' in head) throw new Error(head.reason);
  return head;
}
function outcome(line: string, ...fields: string[]): string {
  const checked = checkRequest(parse(line, ...fields));
  if (!checked.ok) return checked.error.code;
  const { host, hostField, target, webSocket } = checked.value;
  return `${host} ${hostField} ${target}${webSocket ? ' websocket' : ''}`;
}

const H = 'Host: a.b';
const rows: [title: string, got: string, want: string][] = [
  ['a path', outcome('GET /x HTTP/1.1', H), 'a.b a.b /x'],
  ['Host in capitals, with dot and port', outcome('GET /x HTTP/1.1', 'hOST: A.B.:8443'), 'a.b a.b:8443 /x'],
  ['a path of slashes', outcome('GET //evil.example/a?b=c@d HTTP/1.1', H), 'a.b a.b //evil.example/a?b=c@d'],
  ['a query untouched', outcome('GET /x??&?=? HTTP/1.1', H), 'a.b a.b /x??&?=?'],
  ['OPTIONS *', outcome('OPTIONS * HTTP/1.1', H), 'a.b a.b *'],
  ['an absolute target that agrees', outcome('GET https://A.b/x?y=1 HTTP/1.1', H), 'a.b a.b /x?y=1'],
  ['the same with http and a port', outcome('GET http://a.b:80/x HTTP/1.1', H), 'a.b a.b /x'],
  ['an absolute target without a path', outcome('GET http://a.b HTTP/1.1', H), 'a.b a.b /'],
  ['an absolute target with only a query', outcome('GET http://a.b?q HTTP/1.1', H), 'a.b a.b /?q'],
  ['OPTIONS of a whole server', outcome('OPTIONS http://a.b HTTP/1.1', H), 'a.b a.b *'],
  ['HTTP/1.0 with Host', outcome('GET /x HTTP/1.0', H), 'a.b a.b /x'],

  ['CONNECT with an authority', outcome('CONNECT a.b:443 HTTP/1.1', H), 'method_refused'],
  ['CONNECT with a path', outcome('CONNECT /x HTTP/1.1', H), 'method_refused'],
  ['CONNECT with an absolute target', outcome('CONNECT http://a.b/ HTTP/1.1', H), 'method_refused'],
  ['no Host', outcome('GET /x HTTP/1.1'), 'bad_request'],
  ['no Host in HTTP/1.0', outcome('GET /x HTTP/1.0'), 'bad_request'],
  ['two different Hosts', outcome('GET /x HTTP/1.1', H, 'X: 1', 'Host: other'), 'bad_request'],
  ['the same Host twice', outcome('GET /x HTTP/1.1', H, H), 'bad_request'],
  ['an empty Host', outcome('GET /x HTTP/1.1', 'Host: '), 'bad_request'],
  ['two names in one Host', outcome('GET /x HTTP/1.1', 'Host: a.b, a.b'), 'bad_request'],
  ['GET *', outcome('GET * HTTP/1.1', H), 'bad_request'],
  ['GET *foo', outcome('GET *foo HTTP/1.1', H), 'bad_request'],
  ['OPTIONS */test', outcome('OPTIONS */test HTTP/1.1', H), 'bad_request'],
  ['a target without a slash', outcome('GET admin HTTP/1.1', H), 'bad_request'],
  ['an authority as target', outcome('GET a.b:80 HTTP/1.1', H), 'bad_request'],
  ['an absolute target elsewhere', outcome('GET https://c.d/x HTTP/1.1', H), 'bad_request'],
  ['an absolute target with a user', outcome('GET https://u:p@a.b/x HTTP/1.1', H), 'bad_request'],
  ['an absolute target without an authority', outcome('GET http:///x HTTP/1.1', H), 'bad_request'],
  ['another scheme', outcome('GET ftp://a.b/x HTTP/1.1', H), 'bad_request'],
];
test.each(rows)('%s', (_title, got, want) => expect(got).toBe(want));

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
const V = 'Sec-WebSocket-Version: 13';
const UP = 'Upgrade: websocket';
const C = 'Connection: Upgrade';
const get = (...fields: string[]): string => outcome('GET /x HTTP/1.1', H, ...fields);
const yes = 'a.b a.b /x websocket';
const plain = 'a.b a.b /x';
const handshakes: [title: string, got: string, want: string][] = [
  ['a handshake', get(C, UP, KEY, V), yes],
  ['other capitals', get('connection: keep-alive, UPGRADE', 'upgrade: WebSocket', KEY, V), yes],
  ['two Connection fields', get('Connection: keep-alive', C, UP, KEY, V), yes],
  ['upgrade inside another token', get('Connection: keep-alive, upgrade-insecure-requests', UP, KEY, V), plain],
  ['no Connection', get(UP, KEY, V), plain],
  ['h2c', get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AA'), plain],
  ['another protocol', get(C, 'Upgrade: custom_protocol'), plain],
  ['two protocols', get(C, 'Upgrade: websocket, foo', KEY, V), plain],
  ['two Upgrade fields', get(C, UP, UP, KEY, V), plain],
  ['websocket with a version', get(C, 'Upgrade: websocket/13', KEY, V), plain],
  ['HTTP/1.0', outcome('GET /x HTTP/1.0', H, C, UP, KEY, V), plain],
  ['POST', outcome('POST /x HTTP/1.1', H, C, UP, KEY, V), plain],
  ['a length', get(C, UP, KEY, V, 'Content-Length: 5'), plain],
  ['a length of 0', get(C, UP, KEY, V, 'Content-Length: 0'), plain],
  ['chunks', get(C, UP, KEY, V, 'Transfer-Encoding: chunked'), plain],
  ['no key', get(C, UP, V), 'bad_request'],
  ['two keys', get(C, UP, KEY, KEY, V), 'bad_request'],
  ['a short key', get(C, UP, 'Sec-WebSocket-Key: abc', V), 'bad_request'],
  ['no version', get(C, UP, KEY), 'bad_request'],
];
test.each(handshakes)('websocket: %s', (_title, got, want) => expect(got).toBe(want));

const repeats: [line: string, field: string, want: boolean][] = [
  ['GET / HTTP/1.1', 'A: 1', true],
  ['DELETE / HTTP/1.1', 'A: 1', true],
  ['PUT / HTTP/1.1', 'Content-Length: 0', true],
  ['GET / HTTP/1.1', 'Content-Length: 5', false],
  ['PUT / HTTP/1.1', 'Transfer-Encoding: chunked', false],
  ['POST / HTTP/1.1', 'A: 1', false],
  ['PATCH / HTTP/1.1', 'A: 1', false],
  ['FROB / HTTP/1.1', 'A: 1', false],
];
test.each(repeats)('%s with %s may be repeated: %s', (line, field, want) => expect(mayRepeat(parse(line, field))).toBe(want));
