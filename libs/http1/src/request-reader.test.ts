import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from './limits.ts';
import { createRequestReader } from './request-reader.ts';
import { transcribe } from './testing/transcript.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const read = (...chunks: string[]): string[] => transcribe(createRequestReader<Buffer>(), chunks.map(bytes));
const get = (...lines: string[]): string => ['GET /x HTTP/1.1', 'Host: h', ...lines, '', ''].join('\r\n');
const post = (lines: string[], body: string): string => ['POST /x HTTP/1.1', 'Host: h', ...lines, '', body].join('\r\n');
const chunked = (body: string): string => post(['Transfer-Encoding: chunked'], body);

const accepted: [title: string, input: string, want: string[]][] = [
  ['a request without a body', get(), ['head GET /x 1.1 | Host: h', 'end', 'closed']],
  ['HTTP/1.0', 'GET /x HTTP/1.0\r\nHost: h\r\n\r\n', ['head GET /x 1.0 | Host: h', 'end', 'closed']],
  ['no field at all', 'GET /x HTTP/1.1\r\n\r\n', ['head GET /x 1.1', 'end', 'closed']],
  ['an empty line before the request line', `\r\n${get()}`, ['head GET /x 1.1 | Host: h', 'end', 'closed']],
  ['two empty lines before it', `\r\n\r\n${get()}`, ['head GET /x 1.1 | Host: h', 'end', 'closed']],
  ['odd capitals, and tabs around a value', get('hOsT:\th \t'), ['head GET /x 1.1 | Host: h | hOsT: h', 'end', 'closed']],
  ['a tab inside a value', get('X:a\tb'), ['head GET /x 1.1 | Host: h | X: a\tb', 'end', 'closed']],
  ['empty values', get('A:', 'B:   '), ['head GET /x 1.1 | Host: h | A:  | B: ', 'end', 'closed']],
  ['bytes above 7f in a value', get('X: \xc3\xa9'), ['head GET /x 1.1 | Host: h | X: \xc3\xa9', 'end', 'closed']],
  [
    'every token character in a name',
    get("!#$%&'*+-.^_`|~09azAZ: v"),
    ["head GET /x 1.1 | Host: h | !#$%&'*+-.^_`|~09azAZ: v", 'end', 'closed'],
  ],
  ['duplicates in their order', get('X: 1', 'x: 2', 'X: 1'), ['head GET /x 1.1 | Host: h | X: 1 | x: 2 | X: 1', 'end', 'closed']],
  [
    'an odd target, untouched',
    'GET //x/%2e?a="b"|c^d{e}f<g>\xe9 HTTP/1.1\r\n\r\n',
    ['head GET //x/%2e?a="b"|c^d{e}f<g>\xe9 1.1', 'end', 'closed'],
  ],
  ['a made-up method', 'FROB-1 / HTTP/1.1\r\n\r\n', ['head FROB-1 / 1.1', 'end', 'closed']],
  [
    'a body of known length',
    post(['Content-Length: 5'], 'hello'),
    ['head POST /x 1.1 | Host: h | Content-Length: 5', 'data hello', 'end', 'closed'],
  ],
  ['a length of 0', post(['Content-Length: 0'], ''), ['head POST /x 1.1 | Host: h | Content-Length: 0', 'end', 'closed']],
  [
    'Transfer-Encoding in capitals',
    post(['Transfer-Encoding: CHUNKED'], '0\r\n\r\n'),
    ['head POST /x 1.1 | Host: h | Transfer-Encoding: CHUNKED', 'end', 'closed'],
  ],
  [
    'a GET with a body',
    get('Content-Length: 2').concat('ab'),
    ['head GET /x 1.1 | Host: h | Content-Length: 2', 'data ab', 'end', 'closed'],
  ],
  [
    'three requests in one segment',
    get() + post(['Content-Length: 2'], 'hi') + get(),
    [
      'head GET /x 1.1 | Host: h',
      'end',
      'head POST /x 1.1 | Host: h | Content-Length: 2',
      'data hi',
      'end',
      'head GET /x 1.1 | Host: h',
      'end',
      'closed',
    ],
  ],
  [
    'a body that reads like a request',
    post([`Content-Length: ${get().length}`], get()),
    [`head POST /x 1.1 | Host: h | Content-Length: ${get().length}`, `data ${get()}`, 'end', 'closed'],
  ],
  ['nothing at all', '', ['closed']],
];
test.each(accepted)('reads %s', (_title, input, want) => expect(read(input)).toEqual(want));

const unfinished: [title: string, input: string, want: string][] = [
  ['in the request line', 'GET /x HT', 'truncated'],
  ['before the empty line', 'GET /x HTTP/1.1\r\nHost: h\r\n', 'truncated'],
  ['in a body of known length', post(['Content-Length: 5'], 'hell'), 'truncated'],
  ['in a chunk', chunked('5\r\nhel'), 'truncated'],
  ['before the last chunk', chunked('5\r\nhello\r\n'), 'truncated'],
  ['before the end of the trailers', chunked('0\r\nA: 1\r\n'), 'truncated'],
];
test.each(unfinished)('tells an end %s from a whole request', (_title, input, want) => expect(read(input).at(-1)).toBe(want));

const refused: [title: string, input: string, code?: string][] = [
  ['lines that end in a bare LF', 'GET /x HTTP/1.1\nHost: h\n\n'],
  ['a bare LF at the very start', '\nGET /x HTTP/1.1\r\n\r\n'],
  ['a bare CR at the very start', '\rGET /x HTTP/1.1\r\n\r\n'],
  ['three empty lines before the request', `\r\n\r\n\r\n${get()}`],
  ['a lone CR after the request line', 'GET /x HTTP/1.1\rHost: h\r\n\r\n'],
  ['CR LF CR and another byte', 'GET /x HTTP/1.1\r\nHost: h\r\n\rZGET /s HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a bare LF between fields', get('Dummy: x\nContent-Length: 66')],
  ['CR in a value', get('X: va\rlue')],
  ['byte 00 in a value', get('X: a\x00b')],
  ['byte 07 in a value', get('X: a\x07')],
  ['byte 7f in a value', get('X: a\x7f')],
  ['a folded line', get('X: a', ' b')],
  ['a blank before the first field', 'GET /x HTTP/1.1\r\n Host: h\r\n\r\n'],
  ['an empty field name', get(': v')],
  ['a line without a colon', get('Te', 'st: test')],
  ['brackets in a name', get('X[]: 1')],
  ['a byte above 7f in a name', get('X\xe9: 1')],
  ['a blank before the colon', get('Content-Length : 5')],
  ['a tab before the colon', get('Transfer-Encoding\t: chunked')],
  ['no version', 'GET /x \r\nHost: h\r\n\r\n'],
  ['no version and no blank', 'GET /x\r\nHost: h\r\n\r\n'],
  ['a version without a dot', 'GET /x HTTP/11\r\n\r\n'],
  ['a lower-case version', 'GET /x http/1.1\r\n\r\n'],
  ['a blank after the version', 'GET /x HTTP/1.1 \r\n\r\n'],
  ['HTTP/9.9', 'GET /x HTTP/9.9\r\nHost: h\r\n\r\n', 'version_refused'],
  ['HTTP/1.32', 'GET /x HTTP/1.32\r\nHost: h\r\n\r\n', 'version_refused'],
  ['HTTP/1.2', 'GET /x HTTP/1.2\r\nHost: h\r\n\r\n', 'version_refused'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'version_refused'],
  ['two blanks between method and target', 'GET  /x HTTP/1.1\r\n\r\n'],
  ['tabs between them', 'GET\t/x\tHTTP/1.1\r\n\r\n'],
  ['a method with brackets', 'G=":<>(e)],[T];?" /x HTTP/1.1\r\n\r\n'],
  ['a blank before the method', ' GET /x HTTP/1.1\r\n\r\n'],
  ['a blank in the target', 'GET /a b HTTP/1.1\r\n\r\n'],
  ['a control byte in the target', 'GET /a\x01 HTTP/1.1\r\n\r\n'],
  ['a fragment in the target', 'GET /a#b HTTP/1.1\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00'],
  ['plain garbage', 'GARBAGE\r\n\r\n'],
];
test.each(refused)('refuses %s', (_title, input, code = 'bad_request') => expect(read(input)).toEqual([`rejected ${code}`]));

test('a rejection behind a good request leaves the first one whole', () => {
  expect(read(`${get()}GARBAGE\r\n\r\n`)).toEqual(['head GET /x 1.1 | Host: h', 'end', 'rejected bad_request']);
});

test('a rejected reader stays dead', () => {
  const reader = createRequestReader<Buffer>();
  expect(transcribe(reader, [bytes('NO\r\n\r\n')])).toEqual(['rejected bad_request']);
  reader.push(bytes(get()));
  expect(reader.read()).toBe('rejected');
});

const limits = {
  ...DEFAULT_LIMITS,
  headBytesMax: 60,
  fieldCountMax: 3,
  trailerBytesMax: 20,
  trailerCountMax: 2,
  chunkExtensionBytesMax: 4,
};
const readLimited = (input: string): string | undefined => transcribe(createRequestReader<Buffer>(limits), [bytes(input)]).at(-1);
const head = (size: number): string => `GET / HTTP/1.1\r\nA: ${'a'.repeat(size - 23)}\r\n\r\n`;
const limited: [title: string, input: string, want: string][] = [
  ['a head of the most bytes', head(60), 'closed'],
  ['a head of one more', head(61), 'rejected headers_too_large'],
  ['an unfinished head of one more', head(70).slice(0, 61), 'rejected headers_too_large'],
  ['the most fields', get('A:1', 'B:2'), 'closed'],
  ['one field more', get('A:1', 'B:2', 'C:3'), 'rejected headers_too_large'],
  ['the longest extension', chunked('1;abcd\r\nx\r\n0\r\n\r\n').replace('Host: h\r\n', ''), 'closed'],
  ['the longest extension, twice', chunked('1;abcd\r\nx\r\n0;abcd\r\n\r\n').replace('Host: h\r\n', ''), 'closed'],
  ['one byte more', chunked('1;abcde\r\nx\r\n0\r\n\r\n').replace('Host: h\r\n', ''), 'rejected bad_request'],
  ['the most trailers', chunked('0\r\nA:1\r\nB:2\r\n\r\n').replace('Host: h\r\n', ''), 'closed'],
  ['one trailer more', chunked('0\r\nA:1\r\nB:2\r\nC:3\r\n\r\n').replace('Host: h\r\n', ''), 'rejected bad_request'],
  ['trailers of too many bytes', chunked('0\r\nA: 123456789012345\r\n\r\n').replace('Host: h\r\n', ''), 'rejected bad_request'],
];
test.each(limited)('at the limit: %s', (_title, input, want) => expect(readLimited(input)).toBe(want));

test('a hundred fields pass with the default limits, and a megabyte in one does not', () => {
  expect(read(get(...Array.from({ length: 100 }, (_, i) => `X-${i}: ${i}`))).at(-1)).toBe('closed');
  expect(read(get(`X: ${'a'.repeat(1_048_576)}`))).toEqual(['rejected headers_too_large']);
});

test('unread pipelined bytes ask the caller to stop, and past the bound end the connection', () => {
  const reader = createRequestReader<Buffer>({ ...DEFAULT_LIMITS, bufferedBytesSoft: 100, bufferedBytesMax: 200 });
  expect(reader.push(bytes(get()))).toBe(true);
  expect(reader.push(bytes('x'.repeat(100)))).toBe(false);
  expect(reader.buffered()).toBe(get().length + 100);
  expect(reader.push(bytes('x'.repeat(100)))).toBe(false);
  expect(reader.read()).toBe('rejected');
});

test('so do unread pieces, of however few bytes each: a piece costs more than what is in it', () => {
  const limits = { ...DEFAULT_LIMITS, bufferedPiecesSoft: 2, bufferedPiecesMax: 4 };
  const reader = createRequestReader<Buffer>(limits);
  // The first is being read, and what waits are those behind it.
  expect(Array.from('xxxxxx', (piece) => reader.push(bytes(piece)))).toEqual([true, true, false, false, false, false]);
  expect(reader.read()).toBe('rejected');
  const stopped = createRequestReader<Buffer>(limits);
  for (const piece of [post(['Content-Length: 4'], ''), ...'abcd'.split('')]) stopped.push(bytes(piece));
  expect([stopped.read(), stopped.read()]).toEqual(['head', 'data']);
  expect(stopped.buffered()).toBe(3);
});

test('what is read no longer counts as unread', () => {
  const reader = createRequestReader<Buffer>();
  for (const piece of [post(['Content-Length: 6'], 'ab'), 'cd', 'ef', '']) reader.push(bytes(piece));
  const unread: number[] = [];
  for (let event = reader.read(); event !== 'end'; event = reader.read()) unread.push(reader.buffered());
  expect(unread).toEqual([6, 4, 2, 0]);
});

test('an empty chunk is no data', () => {
  const reader = createRequestReader<Buffer>();
  reader.push(bytes(post(['Content-Length: 1'], '')));
  expect(reader.read()).toBe('head');
  expect(reader.push(bytes(''))).toBe(true);
  expect(reader.read()).toBe('more');
});

test('empty lines are counted for each request anew', () => {
  expect(read(`\r\n\r\n${get()}`.repeat(3)).filter((line) => line === 'end')).toHaveLength(3);
});

test('a trailer that Connection names goes no further', () => {
  const body = '0\r\nX-Secret: 1\r\nX-Sum: 2\r\n\r\n';
  expect(read(post(['Connection: x-secret', 'Transfer-Encoding: chunked'], body))).toContain('end | X-Sum: 2');
});

test('only HTTP/1.1 waits for a 100', () => {
  const asks = (version: string): boolean => {
    const reader = createRequestReader<Buffer>();
    reader.push(bytes(`GET / ${version}\r\nExpect: 100-Continue\r\n\r\n`));
    reader.read();
    return reader.head.expectsContinue;
  };
  expect([asks('HTTP/1.1'), asks('HTTP/1.0')]).toEqual([true, false]);
});

test('the bytes behind a head are there for a tunnel, in order', () => {
  const reader = createRequestReader<Buffer>();
  reader.push(bytes(`${get()}ab`));
  reader.push(bytes('cd'));
  expect([reader.read(), reader.read()]).toEqual(['head', 'end']);
  expect(Buffer.concat(reader.takeRest()).toString()).toBe('abcd');
  expect(() => reader.read()).toThrow('tunnel');
});

test('what is unread of a lent chunk is made its own', () => {
  const reader = createRequestReader<Buffer>();
  const copy = (lent: Buffer): Buffer => Buffer.from(lent);
  const lent = bytes(`${get()}ab`);
  reader.push(lent);
  expect([reader.read(), reader.read()]).toEqual(['head', 'end']);
  reader.own(copy);
  lent.fill('x');
  expect(Buffer.concat(reader.takeRest()).toString()).toBe('ab');
  reader.own(copy);
  expect(reader.buffered()).toBe(0);
});

test('inHead is true only while a head arrives', () => {
  const reader = createRequestReader<Buffer>();
  const seen = [reader.inHead()];
  for (const piece of ['GET /x HT', 'TP/1.1\r\nContent-Length: 1\r\n\r\n', 'x']) {
    reader.push(bytes(piece));
    while (reader.read() !== 'more');
    seen.push(reader.inHead());
  }
  expect(seen).toEqual([false, true, false, false]);
});

const heads: [title: string, chunks: string[], want: boolean][] = [
  ['refused for its framing', ['HEAD /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n'], true],
  ['refused for its framing, whole with its second piece', ['H', 'EAD /x HTTP/1.1\r\nContent-Length: x\r\n\r\n'], true],
  ['refused in its second piece', ['HEAD /x HTTP/1.1\r\n', 'X: \x00'], true],
  ['refused at its first piece', ['HEAD /x HTTP/1.1\r\nX: \x00'], true],
  ['too large', [`HEAD /x HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`], true],
  ['too large and whole', [`HEAD /x HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`], true],
  ['unfinished', ['HEAD /x'], true],
  ['another method', ['HEADS /x HTTP/1.1\r\nX: \x00'], false],
  ['behind a HEAD that was read', ['HEAD /x HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\n : 1\r\n\r\n'], false],
  ['nothing behind a HEAD that was read', ['HEAD /x HTTP/1.1\r\n\r\n'], false],
];
test.each(heads)('asksHead, %s', (_title, chunks, want) => {
  const reader = createRequestReader<Buffer>();
  for (const chunk of chunks) {
    reader.push(bytes(chunk));
    while (!['more', 'rejected'].includes(reader.read()));
  }
  expect(reader.asksHead()).toBe(want);
});

test('data is a view of what was pushed, not a copy', () => {
  const reader = createRequestReader<Buffer>();
  const chunk = bytes(post(['Content-Length: 5'], 'hello'));
  reader.push(chunk);
  expect([reader.read(), reader.read()]).toEqual(['head', 'data']);
  expect(reader.data.buffer).toBe(chunk.buffer);
});
