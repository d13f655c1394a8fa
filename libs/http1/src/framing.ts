import type { Rejection } from './codes.ts';
import { bitOf, FIELD, type FieldKind } from './field-kind.ts';
import type { Fields, Framing } from './head.ts';
import { isToken, listMembers } from './octets.ts';

/** How the body of a message is framed; `length` as in Head. */
export interface Framed {
  readonly framing: Framing;
  readonly length: number;
}

const NO_BODY: Framed = { framing: 'none', length: -1 };
const CHUNKED: Framed = { framing: 'chunked', length: -1 };
const UNTIL_CLOSE: Framed = { framing: 'until-close', length: -1 };
const FRAMING_BITS = bitOf(FIELD.contentLength) | bitOf(FIELD.transferEncoding);

/** Which message it is: answers to HEAD, and 1xx, 204 and 304, have no body whatever their fields say. */
export type Carrier = 'request' | 'response' | 'response-without-body';

/** Sixteen digits hold every safe integer. More digits are a length that some reader would wrap or round. */
const CONTENT_LENGTH = /^[0-9]{1,16}$/;

/**
 * The one place that decides where a body ends, in the order of RFC 9112 section 6.3. Stricter than the RFC where it leaves
 * a choice: whatever two readers could understand differently is refused.
 */
export function frame(
  fields: Fields,
  kinds: readonly FieldKind[],
  seen: number,
  minor: 0 | 1,
  carrier: Carrier,
): Framed | Rejection {
  // 1, 2. Messages that never have a body are told apart by `carrier`; CONNECT does not get here. Their framing fields are
  // still checked: they travel on, and the next reader may not know what was asked.
  if ((seen & FRAMING_BITS) === 0) {
    // 7, 8. No framing field: a request has no body, an answer lasts until its connection ends.
    return carrier === 'response' ? UNTIL_CLOSE : NO_BODY;
  }
  const lengths = valuesOf(fields, kinds, FIELD.contentLength);
  const codings = valuesOf(fields, kinds, FIELD.transferEncoding);

  // 3. Both: an attack or a broken sender. Never guess which one the next reader would believe.
  if (lengths.length > 0 && codings.length > 0) return refuse('both Content-Length and Transfer-Encoding');

  // 4. Transfer-Encoding: exactly `chunked`, once, and not from HTTP/1.0, which does not know it.
  if (codings.length > 0) {
    if (minor === 0) return refuse('Transfer-Encoding in HTTP/1.0');
    if (codings.length > 1) return refuse('more than one Transfer-Encoding');
    const coding = codings[0] ?? '';
    if (coding.toLowerCase() !== 'chunked') return refuseCoding(coding);
    return carrier === 'response-without-body' ? NO_BODY : CHUNKED;
  }

  // 5. Content-Length: once, and nothing but digits.
  if (lengths.length > 1) return refuse('more than one Content-Length');
  const digits = lengths[0] ?? '';
  const length = Number(digits);
  if (!CONTENT_LENGTH.test(digits) || !Number.isSafeInteger(length)) return refuse('a Content-Length that is no number');

  // 6. A good Content-Length.
  return { framing: carrier === 'response-without-body' ? 'none' : 'length', length };
}

/** A list of transfer codings is a thing we do not implement (501); anything else is no list at all (400). */
function refuseCoding(value: string): Rejection {
  const known = listMembers(value).every(isToken);
  return known
    ? { code: 'coding_refused', reason: 'a Transfer-Encoding other than chunked' }
    : refuse('a malformed Transfer-Encoding');
}

const refuse = (reason: string): Rejection => ({ code: 'bad_request', reason });

function valuesOf(fields: Fields, kinds: readonly FieldKind[], kind: FieldKind): string[] {
  const values: string[] = [];
  for (let i = 0; i < kinds.length; i++) if (kinds[i] === kind) values.push(fields[2 * i + 1] ?? '');
  return values;
}
