import { expect, test } from 'vitest';
import { answerCloses, writeAnswer, writePlainHttpAnswer } from './answers.ts';
import { ANSWERS, type Code } from './codes.ts';
import type { RequestHead } from './head.ts';
import { readRequestHead } from './read-head.ts';

const CODES = Object.keys(ANSWERS) as Code[];
function request(line: string, ...fields: string[]): RequestHead {
  const head = readRequestHead([line, ...fields, '', ''].join('\r\n'), 100);
  if ('code' in head) throw new Error(head.reason);
  return head;
}
const BROWSER = request('GET / HTTP/1.1', 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
const SCRIPT = request('GET / HTTP/1.1', 'Accept: */*');
const OLD = request('GET / HTTP/1.0', 'Connection: keep-alive');

function parts(
  code: Code,
  asked: RequestHead | undefined,
  close = false,
): { line: string; fields: Map<string, string>; body: string } {
  const text = writeAnswer(code, { request: asked, host: 'a.b', close });
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  return {
    line,
    fields: new Map(
      fields.map((field): [string, string] => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 2),
      ]),
    ),
    body,
  };
}

test.each(CODES)('%s as JSON', (code) => {
  const { line, fields, body } = parts(code, SCRIPT);
  const row = ANSWERS[code];
  expect(line).toBe(`HTTP/1.1 ${row.status} ${row.phrase}`);
  expect(fields.get('sallyport-error')).toBe(code);
  expect(fields.get('cache-control')).toBe('no-store');
  expect(fields.get('content-type')).toMatch(/^application\/json/);
  expect(Number(fields.get('content-length'))).toBe(body.length);
  expect(JSON.parse(body)).toEqual({ code, message: row.message, host: 'a.b', retryable: row.retryable });
  expect(fields.get('connection')).toBe(row.closes ? 'close' : undefined);
});

test.each(CODES)('%s as a page', (code) => {
  const { fields, body } = parts(code, BROWSER);
  expect(fields.get('content-type')).toMatch(/^text\/html/);
  expect(Number(fields.get('content-length'))).toBe(body.length);
  expect(body).toContain(code);
  expect(body).not.toMatch(/src=|href=|<script|127\.0\.0\.1|localhost/);
  expect(body.length).toBeLessThan(1_000);
  expect(body.includes('http-equiv="refresh"')).toBe(ANSWERS[code].retryAfterS !== undefined);
});

test('every answer is ASCII, so that a character is a byte', () => {
  for (const code of CODES)
    for (const asked of [BROWSER, SCRIPT, undefined])
      expect(writeAnswer(code, { request: asked, host: 'a.b', close: true })).toMatch(/^[\r\n -~]*$/);
});

const statuses: [code: Code, status: number, retryAfter: boolean][] = [
  ['host_mismatch', 421, false],
  ['bad_request', 400, false],
  ['headers_too_large', 431, false],
  ['route_unknown', 404, false],
  ['route_withdrawn', 404, false],
  ['not_fresh', 503, true],
  ['lease_expired', 503, true],
  ['draining', 503, true],
  ['over_limit', 503, true],
  ['app_unreachable', 502, true],
  ['app_protocol', 502, false],
  ['app_timeout', 504, false],
  ['method_refused', 405, false],
  ['coding_refused', 501, false],
  ['version_refused', 505, false],
  ['head_timeout', 408, false],
];
test('no code is missing from the rows below', () => expect(statuses.map(([code]) => code).sort()).toEqual([...CODES].sort()));
test.each(statuses)('%s is %i, Retry-After: %s', (code, status, retryAfter) => {
  expect(ANSWERS[code].status).toBe(status);
  expect(parts(code, SCRIPT).fields.has('retry-after')).toBe(retryAfter);
});

const htmlOrNot: [accept: string[], html: boolean][] = [
  [['Accept: text/html'], true],
  [['Accept: application/json, TEXT/HTML;q=0.5'], true],
  [['Accept: application/json', 'Accept: text/html'], true],
  [['Accept: application/json'], false],
  [['Accept: text/html;q=0'], false],
  [['Accept: text/*'], false],
  [['Accept: text/html-not'], false],
  [[], false],
];
test.each(htmlOrNot)('%j gets HTML: %s', (accept, html) => {
  expect(
    parts('app_unreachable', request('GET / HTTP/1.1', ...accept))
      .fields.get('content-type')
      ?.startsWith('text/html'),
  ).toBe(html);
});

test('an answer to HEAD has the fields and no body', () => {
  const text = writeAnswer('app_unreachable', { request: request('HEAD / HTTP/1.1'), host: 'a.b', close: false });
  expect(text).toMatch(/Content-Length: [1-9]/);
  expect(text.endsWith('\r\n\r\n')).toBe(true);
});

test('nor has one to a HEAD whose head could not be read', () => {
  const text = writeAnswer('bad_request', { host: '', close: true, asksHead: true });
  expect(text).toMatch(/Content-Length: [1-9]/);
  expect(text.endsWith('\r\n\r\n')).toBe(true);
});

const closing: [title: string, code: Code, asked: RequestHead | undefined, close: boolean, want: string | undefined][] = [
  ['stays', 'app_unreachable', SCRIPT, false, undefined],
  ['the caller closes', 'app_unreachable', SCRIPT, true, 'close'],
  ['the code closes', 'bad_request', SCRIPT, false, 'close'],
  ['the client closes', 'app_unreachable', request('GET / HTTP/1.1', 'Connection: close'), false, 'close'],
  ['HTTP/1.0 closes', 'app_unreachable', request('GET / HTTP/1.0'), false, 'close'],
  ['HTTP/1.0 stays', 'app_unreachable', OLD, false, 'keep-alive'],
  ['no head was read', 'head_timeout', undefined, false, 'close'],
];
test.each(closing)('connection: %s', (_title, code, asked, close, want) => {
  expect(parts(code, asked, close).fields.get('connection')).toBe(want);
  expect(answerCloses(code, { request: asked, host: '', close })).toBe(want === 'close');
});

test('a host cannot break out of the page', () => {
  expect(writeAnswer('route_unknown', { request: BROWSER, host: '"><script>&', close: false })).toContain(
    '&quot;&gt;&lt;script&gt;&amp;',
  );
});

test('a 405 says what is allowed', () => expect(parts('method_refused', SCRIPT).fields.has('allow')).toBe(true));

test.each([
  ['A.b:8443', 'https://a.b:8443/'],
  ['a.b.', 'https://a.b/'],
  ['evil\r\nSet-Cookie: x', undefined],
  ['', undefined],
])('plain HTTP for %j is told of %s', (authority, url) => {
  const text = writePlainHttpAnswer(authority);
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(text).not.toContain('Set-Cookie');
  expect(/https:\S+/.exec(text)?.[0]).toBe(url);
});
