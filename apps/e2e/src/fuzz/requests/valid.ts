import type { Random } from '../random.ts';
import { type BodyDraft, chunkOf, type FieldDraft, field, NO_BODY, type RequestDraft } from './draft.ts';

/** Requests that every reader takes, and all in the same way: what browsers, curl and clients of APIs send. */
export function validRequest(random: Random, host: string): RequestDraft {
  const body = random.chance(0.55) ? NO_BODY() : validBody(random);
  const method = body.kind === 'none' ? random.pick(BODILESS) : random.pick(WITH_BODY);
  const fields = [field('Host', host), ...someFields(random), ...framing(body)];
  if (random.chance(0.2)) fields.push(fields.shift() as FieldDraft);
  return {
    before: '',
    method,
    blank: ' ',
    target: path(random),
    secondBlank: ' ',
    version: 'HTTP/1.1',
    eol: '\r\n',
    fields,
    end: '\r\n',
    body,
  };
}

const BODILESS = ['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE'] as const;
const WITH_BODY = ['POST', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SEGMENTS = [
  'api',
  'v1',
  'items',
  'a',
  'index.html',
  'caf%C3%A9',
  'x-y_z~',
  '42',
  'a;b=c',
  "it's",
  '(1)',
  'a,b',
  'a+b',
  '@me',
];
const QUERIES = ['', '', '?q=1', '?a=b&c=d', '?x=%20&y=', '?redirect=https://example.org/a', '?', '?a[]=1'];

const path = (random: Random): string =>
  `/${Array.from({ length: random.below(4) }, () => random.pick(SEGMENTS)).join('/')}${random.pick(QUERIES)}`;

const FIELDS: readonly (readonly [string, string])[] = [
  ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
  ['Accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'],
  ['Accept-Encoding', 'gzip, deflate, br'],
  ['Accept-Language', 'en-GB,en;q=0.5'],
  ['Cookie', 'session=abc; theme=dark'],
  ['Cache-Control', 'no-cache'],
  ['Authorization', 'Bearer abc.def.ghi'],
  ['Content-Type', 'application/json'],
  ['If-None-Match', '"etag"'],
  ['Range', 'bytes=0-10'],
  ['Referer', 'https://example.org/'],
  ['X-Request-Id', 'a1b2c3'],
  ['X-Empty', ''],
  ['X-Many', 'one'],
  ['x-many', 'two'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['TE', 'trailers'],
  ['Connection', 'keep-alive'],
];

function someFields(random: Random): FieldDraft[] {
  // Some readers refuse a second Authorization or If-None-Match, so none of a name comes twice but where that is usual.
  const chosen = new Map(Array.from({ length: random.below(6) }, () => random.pick(FIELDS)).map((each) => [each[0], each]));
  return [...chosen.values()].map((each) => field(...each));
}

function framing(body: BodyDraft): FieldDraft[] {
  if (body.kind === 'none') return [];
  return body.kind === 'length' ? [field('Content-Length', String(body.data.length))] : [field('Transfer-Encoding', 'chunked')];
}

/** Bodies look like requests, so that whoever ends one too early executes a request that nobody sent. */
const PIECES = [
  'a=1&b=2',
  '{"a":1}',
  'x',
  'hello world',
  '0\r\n\r\n',
  '\r\n',
  '\x00\xff',
  'GET /inner HTTP/1.1\r\nHost: other.test\r\n\r\n',
];

function validBody(random: Random): BodyDraft {
  const text = (): string => Array.from({ length: random.between(1, 3) }, () => random.pick(PIECES)).join('');
  if (random.chance(0.5)) return { ...NO_BODY(), kind: 'length', data: random.chance(0.1) ? '' : text() };
  const chunks = Array.from({ length: random.below(4) }, () => chunkOf(text()));
  return { ...NO_BODY(), kind: 'chunked', chunks };
}
