import { bitOf, type FieldKind, kindOf } from './field-kind.ts';
import { COLON, CR, isBlank, LF, TOKEN, VALUE } from './octets.ts';

/** Field lines while they are read; `seen` has a bit for each kind that occurred. */
export interface FieldLines {
  readonly fields: string[];
  readonly kinds: FieldKind[];
  seen: number;
}

export const TOO_MANY_FIELDS = 'too many fields';

/**
 * Reads field lines (RFC 9112 section 5) from `at` to the empty line that ends `text`, in one pass.
 *
 * No fold, no blank before the colon, no bare CR or LF, no control byte: each is read differently by somebody, and a
 * reader that guesses in front of another reader is a hole.
 *
 * @param text ends in an empty line and has none before
 * @returns '' or what is wrong
 */
export function readFieldLines(text: string, at: number, into: FieldLines, countMax: number): string {
  while (true) {
    let octet = text.charCodeAt(at);
    if (octet === CR) return text.charCodeAt(at + 1) === LF && at + 2 === text.length ? '' : 'a bare CR';
    if (into.kinds.length === countMax) return TOO_MANY_FIELDS;

    const nameAt = at;
    while (TOKEN[octet] === 1) octet = text.charCodeAt(++at);
    if (octet !== COLON || at === nameAt) return 'a field name that is no token';
    const name = text.slice(nameAt, at);

    do octet = text.charCodeAt(++at);
    while (isBlank(octet));
    const valueAt = at;
    while (VALUE[octet] === 1) octet = text.charCodeAt(++at);
    if (octet !== CR || text.charCodeAt(at + 1) !== LF) return 'a control byte in a field value';
    let valueEnd = at;
    while (valueEnd > valueAt && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--;
    at += 2;

    const kind = kindOf(name);
    into.fields.push(name, text.slice(valueAt, valueEnd));
    into.kinds.push(kind);
    into.seen |= bitOf(kind);
  }
}
