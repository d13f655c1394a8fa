import { expect, test } from 'vitest';
import { createRequestReader } from './request-reader.ts';
import { transcribe } from './testing/transcript.ts';

const HEAD = 'POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
const read = (body: string): string[] => transcribe(createRequestReader<Buffer>(), [Buffer.from(HEAD + body, 'latin1')]).slice(1);

const accepted: [title: string, body: string, want: string[]][] = [
  ['one chunk', '5\r\nhello\r\n0\r\n\r\n', ['data hello', 'end', 'closed']],
  ['no chunk', '0\r\n\r\n', ['end', 'closed']],
  [
    'sizes in both cases, with zeros before',
    `A\r\n0123456789\r\na\r\n0123456789\r\n0001\r\nx\r\n000\r\n\r\n`,
    ['data 01234567890123456789x', 'end', 'closed'],
  ],
  ['an extension, dropped', '5;ext=1;b="q"\r\nhello\r\n0;last\r\n\r\n', ['data hello', 'end', 'closed']],
  ['a trailer', '0\r\nX-Sum: 42\r\n\r\n', ['end | X-Sum: 42', 'closed']],
  ['a trailer that reads like a request', '0\r\nX: POST / HTTP/1.1\r\n\r\n', ['end | X: POST / HTTP/1.1', 'closed']],
  [
    'trailers without those that may not be one',
    '0\r\nA: 1\r\nContent-Length: 66\r\nHost: e\r\nX-Forwarded-For: 6\r\nCookie: c\r\nB: 2\r\n\r\n',
    ['end | A: 1 | B: 2', 'closed'],
  ],
  ['many chunks', `${'01\r\nx\r\n'.repeat(20)}0\r\n\r\n`, [`data ${'x'.repeat(20)}`, 'end', 'closed']],
  ['data that reads like the end', '5\r\n0\r\n\r\n\r\n0\r\n\r\n', ['data 0\r\n\r\n', 'end', 'closed']],
];
test.each(accepted)('reads %s', (_title, body, want) => expect(read(body)).toEqual(want));

const refused: [title: string, body: string][] = [
  ['0x5', '0x5\r\nhello\r\n0\r\n\r\n'],
  ['a sign', '+5\r\nhello\r\n0\r\n\r\n'],
  ['a minus', '-5\r\nhello\r\n0\r\n\r\n'],
  ['an underscore', '0_2e\r\n\r\nGET /s HTTP/1.1\r\n'],
  ['blanks before the size', ' 5\r\nhello\r\n0\r\n\r\n'],
  ['a blank after the size', '5 \r\nhello\r\n0\r\n\r\n'],
  ['a blank before an extension', '5 ;a\r\nhello\r\n0\r\n\r\n'],
  ['an empty size', '\r\n\r\n'],
  ['an extension without a size', ';a\r\n\r\n'],
  ['seventeen digits', 'FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n'],
  ['seventeen zeros', '00000000000000000\r\n\r\n'],
  ['a size above 2^53', '20000000000000\r\nhello\r\n0\r\n\r\n'],
  ['CR before an extension', '2\r\r;a\r\n02\r\n'],
  ['a bare CR in an extension', '2;a\rb\r\nhi\r\n0\r\n\r\n'],
  ['a bare LF in an extension', '2;a\nhi\r\n0\r\n\r\n'],
  ['a control byte in an extension', '2;a\x00\r\nhi\r\n0\r\n\r\n'],
  ['a bare LF after the size', '5\nhello\r\n0\r\n\r\n'],
  ['letters that are no digits', 'INVALID!!!\r\n'],
];
test.each(refused)('refuses %s', (_title, body) => expect(read(body)).toEqual(['rejected bad_request']));

const refusedBehindData: [title: string, body: string][] = [
  ['a bare LF after data', '5\r\nhello\n0\r\n\r\n'],
  ['a bare CR after data', '5\r\nhello\r0\r\n\r\n'],
  ['another byte instead of the CR after data', '5\r\nhello!\n0\r\n\r\n'],
  ['an empty size behind a chunk', '5\r\nhello\r\n\r\n\r\n'],
  ['more data than the size says', '3\r\nhello\r\n0\r\n\r\n'],
  ['an empty line before the last chunk', '5\r\nhello\r\n\r\n0\r\n\r\n'],
  ['a fold in a trailer', '5\r\nhello\r\n0\r\nA: 1\r\n b\r\n\r\n'],
  ['a trailer without a colon', '5\r\nhello\r\n0\r\nGET / HTTP/1.1\r\n\r\n'],
  ['a bare LF in the trailers', '5\r\nhello\r\n0\r\nA: 1\n\r\n\r\n'],
  ['a bare LF instead of the trailers', '5\r\nhello\r\n0\r\n\n'],
];
test.each(refusedBehindData)('refuses %s', (_title, body) => {
  const lines = read(body);
  expect(lines.at(-1)).toBe('rejected bad_request');
  expect(lines).not.toContain('end');
});
