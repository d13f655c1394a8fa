import type { Rejection } from './codes.ts';
import { livesOn, NO_TOKENS, readConnection } from './connection-tokens.ts';
import { bitOf, FIELD } from './field-kind.ts';
import { type FieldLines, readFieldLines, TOO_MANY_FIELDS } from './field-lines.ts';
import { type Carrier, frame } from './framing.ts';
import type { RequestHead, ResponseHead } from './head.ts';
import { SP, TARGET, TOKEN } from './octets.ts';

const VERSION_LINE = /^HTTP\/[0-9]+\.[0-9]+\r\n/;
const VERSION_LINE_BYTES = 'HTTP/1.1\r\n'.length;

/** Reads the text of a request's head, empty line included (RFC 9112 section 3). */
export function readRequestHead(text: string, fieldCountMax: number): RequestHead | Rejection {
  let at = 0;
  while (TOKEN[text.charCodeAt(at)] === 1) at++;
  if (at === 0 || text.charCodeAt(at) !== SP) return malformed('a method that is no token');
  const method = text.slice(0, at);

  const targetAt = ++at;
  while (TARGET[text.charCodeAt(at)] === 1) at++;
  if (at === targetAt || text.charCodeAt(at) !== SP) return malformed('a malformed request target');
  const target = text.slice(targetAt, at);

  at++;
  const minor = text.startsWith('HTTP/1.1\r\n', at) ? 1 : text.startsWith('HTTP/1.0\r\n', at) ? 0 : undefined;
  if (minor === undefined) {
    return VERSION_LINE.test(text.slice(at, at + 32))
      ? { code: 'version_refused', reason: 'an HTTP version other than 1.0 and 1.1' }
      : malformed('a malformed HTTP version');
  }

  const lines: FieldLines = { fields: [], kinds: [], seen: 0 };
  const fault = readFieldLines(text, at + VERSION_LINE_BYTES, lines, fieldCountMax);
  if (fault !== '') return { code: fault === TOO_MANY_FIELDS ? 'headers_too_large' : 'bad_request', reason: fault };
  const { fields, kinds, seen } = lines;
  const framed = frame(fields, kinds, seen, minor, 'request');
  if ('code' in framed) return framed;
  const tokens = (seen & bitOf(FIELD.connection)) === 0 ? NO_TOKENS : readConnection(fields, kinds);
  return {
    kind: 'request',
    method,
    target,
    minor,
    fields,
    kinds,
    seen,
    framing: framed.framing,
    length: framed.length,
    keepAlive: livesOn(minor, tokens),
    connectionUpgrade: tokens.upgrade,
    connectionNames: tokens.names,
    // An HTTP/1.0 client does not know 1xx answers (RFC 9110 section 10.1.1).
    expectsContinue: minor === 1 && (seen & bitOf(FIELD.expect)) !== 0 && asksToContinue(lines),
  };
}

const asksToContinue = ({ fields, kinds }: FieldLines): boolean =>
  kinds.some((kind, i) => kind === FIELD.expect && fields[2 * i + 1]?.toLowerCase() === '100-continue');

/** `HTTP/1.x SP 3DIGIT [SP phrase]`; the phrase and, as many applications have it, the blank before it may be missing. */
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: ([\t -~\x80-\xff]*))?\r\n/;

/** Reads the text of an answer's head. `method` is that of its request. Whatever is wrong is `app_protocol`. */
export function readResponseHead(text: string, fieldCountMax: number, method: string): ResponseHead | Rejection {
  const line = STATUS_LINE.exec(text);
  if (line === null) return fromApp('a malformed status line');
  const minor = line[1] === '1' ? 1 : 0;
  const status = Number(line[2]);

  const lines: FieldLines = { fields: [], kinds: [], seen: 0 };
  const fault = readFieldLines(text, line[0].length, lines, fieldCountMax);
  if (fault !== '') return fromApp(fault);
  const { fields, kinds, seen } = lines;
  const framed = frame(fields, kinds, seen, minor, carrierOf(method, status));
  if ('code' in framed) return fromApp(framed.reason);
  const tokens = (seen & bitOf(FIELD.connection)) === 0 ? NO_TOKENS : readConnection(fields, kinds);
  return {
    kind: 'response',
    status,
    phrase: line[3] ?? '',
    minor,
    fields,
    kinds,
    seen,
    framing: framed.framing,
    length: framed.length,
    keepAlive: livesOn(minor, tokens),
    connectionUpgrade: tokens.upgrade,
    connectionNames: tokens.names,
  };
}

const carrierOf = (method: string, status: number): Carrier =>
  method === 'HEAD' || status < 200 || status === 204 || status === 304 ? 'response-without-body' : 'response';

const malformed = (reason: string): Rejection => ({ code: 'bad_request', reason });
const fromApp = (reason: string): Rejection => ({ code: 'app_protocol', reason });
