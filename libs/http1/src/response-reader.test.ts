import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from './limits.ts';
import { createResponseReader, type ResponseReader } from './response-reader.ts';
import { transcribe } from './testing/transcript.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
function expecting(method = 'GET', webSocket = false): ResponseReader<Buffer> {
  const reader = createResponseReader<Buffer>();
  reader.expect({ method }, webSocket);
  return reader;
}
const read = (input: string, method?: string, webSocket?: boolean): string[] =>
  transcribe(expecting(method, webSocket), [bytes(input)]);
const ok = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines].join('\r\n');

const accepted: [title: string, got: string[], want: string[]][] = [
  ['a length', read(ok('Content-Length: 2', '', 'ok')), ['head 1.1 200 OK | Content-Length: 2', 'data ok', 'end', 'closed']],
  [
    'chunks and trailers',
    read(ok('Transfer-Encoding: chunked', '', '2', 'ok', '0', 'X: 1', '', '')),
    ['head 1.1 200 OK | Transfer-Encoding: chunked', 'data ok', 'end | X: 1', 'closed'],
  ],
  ['a body that ends with the connection', read('HTTP/1.0 200 OK\r\n\r\nall'), ['head 1.0 200 OK', 'data all', 'end', 'closed']],
  ['no phrase', read('HTTP/1.1 204 \r\n\r\n'), ['head 1.1 204 ', 'end', 'closed']],
  ['no blank before the phrase that is missing', read('HTTP/1.1 204\r\n\r\n'), ['head 1.1 204 ', 'end', 'closed']],
  [
    'odd phrases and statuses',
    read('HTTP/1.1 599 \xc3\xa9 Wh(at)?\r\nContent-Length: 0\r\n\r\n'),
    ['head 1.1 599 \xc3\xa9 Wh(at)? | Content-Length: 0', 'end', 'closed'],
  ],
  [
    'HEAD with a length',
    read(ok('Content-Length: 12345', '', ''), 'HEAD'),
    ['head 1.1 200 OK | Content-Length: 12345', 'end', 'closed'],
  ],
  [
    'HEAD with chunked',
    read(ok('Transfer-Encoding: chunked', '', ''), 'HEAD'),
    ['head 1.1 200 OK | Transfer-Encoding: chunked', 'end', 'closed'],
  ],
  [
    '304 with chunked',
    read('HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ['head 1.1 304 Not Modified | Transfer-Encoding: chunked', 'end', 'closed'],
  ],
  [
    'interim answers',
    read(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${ok('Content-Length: 0', '', '')}`),
    ['interim 1.1 100 Continue', 'interim 1.1 103 Early Hints | Link: a', 'head 1.1 200 OK | Content-Length: 0', 'end', 'closed'],
  ],
  [
    'a 101 that was asked for',
    read('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\nxx', 'GET', true),
    ['switched 1.1 101 Switching Protocols | Connection: Upgrade | Upgrade: WebSocket'],
  ],
  [
    'a refused handshake',
    read('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope', 'GET', true),
    ['head 1.1 403 Forbidden | Content-Length: 4', 'data nope', 'end', 'closed'],
  ],
  ['an end before any byte', read(''), ['closed']],
];
test.each(accepted)('reads %s', (_title, got, want) => expect(got).toEqual(want));

const truncated: [title: string, input: string][] = [
  ['in the status line', 'HTTP/1.'],
  ['in the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['behind a 103', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['in a body of known length', ok('Content-Length: 100', '', 'half')],
  ['behind a whole chunk', ok('Transfer-Encoding: chunked', '', '5', 'hello', '')],
];
test.each(truncated)('tells an end %s from a whole answer', (_title, input) => expect(read(input).at(-1)).toBe('truncated'));

const refused: [title: string, input: string, method?: string, webSocket?: boolean][] = [
  ['both framings', ok('Content-Length: 2', 'Transfer-Encoding: chunked', '', '2', 'ok', '0', '', '')],
  ['two lengths', ok('Content-Length: 2', 'Content-Length: 5', '', 'hello')],
  ['the same length twice', ok('Content-Length: 2', 'Content-Length: 2', '', 'ok')],
  ['a length that is no number', ok('Content-Length: 2x', '', 'ok')],
  ['a negative length', ok('Content-Length: -2', '', 'ok')],
  ['chunked twice', ok('Transfer-Encoding: chunked, chunked', '', '0', '', '')],
  ['chunked from HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a bad length of an answer to HEAD', ok('Content-Length: x', '', ''), 'HEAD'],
  ['a control byte', ok('X: a\x01b', '', '')],
  ['byte 00', ok('X: a\x00b', '', '')],
  ['CR in a value', ok('X: a\rSet-Cookie: evil=1', '', '')],
  ['lines that end in a bare LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ['a blank before a colon', ok('X-B : 1', '', '')],
  ['a name that is no token', ok('X(Y): 1', '', '')],
  ['a folded line', ok('X: a', ' b', '', '')],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a misspelt protocol', 'HTP/1.1 200 OK\r\n\r\n'],
  ['frames of HTTP/2', '\x00\x00\x00\x04\x00\x00\x00\x00\x00'],
  ['HTTP/2 in words', 'HTTP/2 200\r\n\r\n'],
  ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n'],
  ['an empty line first', `\r\n${ok('Content-Length: 0', '', '')}`],
  ['status 099', 'HTTP/1.1 099 Low\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['a status of two', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['two blanks before the status', 'HTTP/1.1  200 OK\r\n\r\n'],
  ['a control byte in the phrase', 'HTTP/1.1 200 O\x08K\r\n\r\n'],
  ['a head of a megabyte', ok(`X: ${'a'.repeat(1_000_000)}`, '', '')],
  ['too many fields', ok(...Array.from({ length: 200 }, () => 'a: 1'), '', '')],
  ['a 101 that was not asked for', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nextra'],
  ['a 101 to something else', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', 'GET', true],
  ['a 101 without Connection', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n', 'GET', true],
];
test.each(refused)('refuses %s', (_title, input, method, webSocket) =>
  expect(read(input, method, webSocket)).toEqual(['rejected app_protocol']),
);

test('a fault in a chunk comes behind the data before it', () => {
  expect(read(ok('Transfer-Encoding: chunked', '', '2', 'ok', 'ZZ', 'hello')).slice(1)).toEqual([
    'data ok',
    'rejected app_protocol',
  ]);
});

test('says that it is not HTTP at the first wrong byte, however slowly it comes', () => {
  expect(transcribe(expecting(), ['H', 'T', 'X'].map(bytes), 'open')).toEqual(['rejected app_protocol']);
});

test('1xx answers have an end', () => {
  const reader = createResponseReader<Buffer>({ ...DEFAULT_LIMITS, interimCountMax: 2 });
  reader.expect({ method: 'GET' }, false);
  expect(transcribe(reader, [bytes('HTTP/1.1 103 E\r\n\r\n'.repeat(3))])).toEqual([
    'interim 1.1 103 E',
    'interim 1.1 103 E',
    'rejected app_protocol',
  ]);
});

const surplus: [title: string, body: string, rest: string][] = [
  ['a second answer', ok('Content-Length: 2', '', 'ok'), ok('Content-Length: 8', '', 'poisoned')],
  ['bytes past the length', ok('Content-Length: 2', '', 'ok'), 'and some more'],
  ['a body behind a 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 'hello'],
];
test.each(surplus)('%s reaches nobody and ends the reuse of the connection', (_title, whole, rest) => {
  const reader = expecting();
  reader.push(bytes(whole + rest));
  while (reader.read() !== 'end');
  expect(reader.reusable()).toBe(false);
  reader.expect({ method: 'GET' }, false);
  expect(reader.read()).toBe('rejected');
});

test('bytes that come between exchanges are a rejection', () => {
  const reader = expecting();
  expect(
    transcribe(reader, [bytes(ok('Content-Length: 0', '', '')), bytes(ok('Content-Length: 0', '', ''))], 'open').slice(1),
  ).toEqual(['end', 'rejected app_protocol']);
});

const reuse: [title: string, input: string, want: boolean][] = [
  ['HTTP/1.1 with a length', ok('Content-Length: 0', '', ''), true],
  ['HTTP/1.1 with chunks', ok('Transfer-Encoding: chunked', '', '0', '', ''), true],
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n', true],
  ['HTTP/1.0 that asks for it', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n', true],
  ['Connection: close', ok('Content-Length: 0', 'Connection: close', '', ''), false],
  ['close among others', ok('Content-Length: 0', 'Connection: keep-alive, CLOSE', '', ''), false],
  ['HTTP/1.0 without a word', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', false],
];
test.each(reuse)('reuse after %s: %s', (_title, input, want) => {
  const reader = expecting();
  reader.push(bytes(input));
  while (reader.read() !== 'end') expect(reader.reusable()).toBe(false);
  expect(reader.reusable()).toBe(want);
});

test('a connection whose application ended it is not reusable', () => {
  const reader = expecting();
  expect(transcribe(reader, [bytes(ok('Content-Length: 0', '', ''))]).at(-1)).toBe('closed');
  expect(reader.reusable()).toBe(false);
});

test('one reader reads exchange after exchange, each by its own method', () => {
  const reader = createResponseReader<Buffer>();
  const answer = bytes(ok('Content-Length: 2', '', 'ok'));
  reader.expect({ method: 'HEAD' }, false);
  expect(transcribe(reader, [answer.subarray(0, -2)], 'open').at(-2)).toBe('end');
  reader.expect({ method: 'GET' }, false);
  expect(transcribe(reader, [answer], 'open').slice(1)).toEqual(['data ok', 'end', 'more']);
  expect(reader.reusable()).toBe(true);
});

test('a new exchange inside another is a fault of the caller', () => {
  const reader = expecting();
  expect(() => reader.expect({ method: 'GET' }, false)).toThrow('head');
});
