import { expect, test } from 'vitest';
import type { Rule } from '../rules.ts';
import { readRequests } from './requests.ts';
import { readResponse } from './response.ts';

const HOST = 'a.test';
const get = (head: string): string => `GET /x HTTP/1.1\r\nHost: ${HOST}\r\n${head}\r\n`;
const chunked = (body: string): string => `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

const REFUSED: readonly (readonly [Rule, string])[] = [
  ['first-line', `GET  /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['first-line', `\r\n\r\n\r\n${get('')}`],
  ['version', `GET /x HTTP/1.2\r\nHost: ${HOST}\r\n\r\n`],
  ['target', `GET x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['target', `GET http://b.test/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['connect', `CONNECT a.test:443 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['line-end', `GET /x HTTP/1.1\nHost: ${HOST}\r\n\r\n`],
  ['control-byte', get('X: a\x00\r\n')],
  ['field-line', get('X : a\r\n')],
  ['obs-fold', get('X: a\r\n b\r\n')],
  ['host-count', 'GET /x HTTP/1.1\r\n\r\n'],
  ['host-count', get('host: a.test\r\n')],
  ['host-form', 'GET /x HTTP/1.1\r\nHost: u@a.test\r\n\r\n'],
  ['host-mismatch', 'GET /x HTTP/1.1\r\nHost: b.test\r\n\r\n'],
  ['length-and-coding', get('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n')],
  ['coding', get('Transfer-Encoding: gzip, chunked\r\n')],
  ['content-length', get('Content-Length: +1\r\n')],
  ['chunk-size', chunked('0x1\r\na\r\n0\r\n\r\n')],
  ['chunk-end', chunked('1\r\nab\r\n0\r\n\r\n')],
  ['chunk-extension', chunked('1;a\x00\r\na\r\n0\r\n\r\n')],
  ['upgrade', get('Upgrade: websocket\r\nConnection: upgrade\r\n')],
  ['size', get(`X: ${'a'.repeat(32_768)}\r\n`)],
];

test.each(REFUSED)('the strict reader refuses by %s: %j', (rule, bytes) => {
  expect(readRequests(bytes, HOST).requests.at(-1)?.rule).toBe(rule);
});

test('the strict reader reads one request behind the other, each to its end', () => {
  const { requests, end } = readRequests(`${chunked('2;a\r\nhi\r\n00\r\nX: y\r\n\r\n')}\r\n${get('')}`, HOST);
  expect(requests.map(({ method, body, whole, rule }) => [method, body, whole, rule])).toEqual([
    ['POST', 'hi', true, undefined],
    ['GET', '', true, undefined],
  ]);
  expect(end).toBe('open');
});

const ANSWERS: readonly (readonly [string, string, boolean, string, number])[] = [
  ['one of a known length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi', false, 'whole', 0],
  ['bytes behind it', 'HTTP/1.1 204\r\n\r\nhi', false, 'whole', 2],
  ['one that the end ends', 'HTTP/1.1 200 OK\r\n\r\nhi', true, 'whole', 0],
  ['one that the end does not end yet', 'HTTP/1.1 200 OK\r\n\r\nhi', false, 'partial', 0],
  ['another protocol, at its first byte', 'SSH-2.0', false, 'first-line', 0],
  ['a switch that nobody asked for', 'HTTP/1.1 101 S\r\n\r\n', false, 'upgrade', 0],
  ['too many interim answers', 'HTTP/1.1 102 P\r\n\r\n'.repeat(33), false, 'size', 0],
];

test.each(ANSWERS)('the strict reader of answers: %s', (_title, bytes, ended, state, rest) => {
  expect(readResponse(bytes, false, ended)).toMatchObject({ state, rest });
});
