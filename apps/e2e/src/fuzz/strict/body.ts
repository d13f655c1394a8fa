import { EXTENSION_BYTES_MAX, type Rule, TRAILER_BYTES_MAX, TRAILER_FIELDS_MAX } from '../rules.ts';
import { type Framing, hopeless, readFields, splitLines } from './lines.ts';

/** Where a body ends, and what it was as far as it is here. */
export interface Body {
  readonly text: string;
  readonly state: 'whole' | 'partial' | Rule;
  /** Behind the body, if it is whole. */
  readonly next: number;
}

/** @param ended whether the sender has ended its side: only that ends a body that lasts until then */
export function readBody(bytes: string, at: number, framing: Framing, ended: boolean): Body {
  switch (framing.kind) {
    case 'none':
      return { text: '', state: 'whole', next: at };
    case 'length': {
      const text = bytes.slice(at, at + framing.length);
      return { text, state: text.length === framing.length ? 'whole' : 'partial', next: at + text.length };
    }
    case 'until-close':
      return { text: bytes.slice(at), state: ended ? 'whole' : 'partial', next: bytes.length };
    case 'chunked':
      return readChunks(bytes, at);
  }
}

const SIZE_LINE = /^([0-9a-f]+)(?:;([\t\x20-\x7e\x80-\xff]*))?\r\n$/i;

function readChunks(bytes: string, start: number): Body {
  let text = '';
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\n', at);
    if (lineEnd === -1) return { text, state: 'partial', next: at };
    const [, digits, extension = ''] = SIZE_LINE.exec(bytes.slice(at, lineEnd + 1)) ?? [];
    if (digits === undefined)
      return { text, state: /^[0-9a-f]+;/i.test(bytes.slice(at)) ? 'chunk-extension' : 'chunk-size', next: at };
    const size = Number.parseInt(digits, 16);
    if (digits.length > 16 || !Number.isSafeInteger(size)) return { text, state: 'chunk-size', next: at };
    if (extension.length > EXTENSION_BYTES_MAX) return { text, state: 'chunk-extension', next: at };
    at = lineEnd + 1;
    if (size === 0) return readTrailers(bytes, at, text);
    text += bytes.slice(at, at + size);
    at += size;
    const end = bytes.slice(at, at + 2);
    if (end !== '\r\n') {
      const state = at >= bytes.length || end === '\r' ? 'partial' : 'chunk-end';
      return { text, state, next: at };
    }
    at += 2;
  }
}

/** Trailer fields are checked and otherwise dropped: what may go on of them is another test's. */
function readTrailers(bytes: string, at: number, text: string): Body {
  if (bytes.startsWith('\r\n', at)) return { text, state: 'whole', next: at + 2 };
  const end = bytes.indexOf('\r\n\r\n', at);
  if (end === -1) return { text, state: hopeless(bytes.slice(at)) ?? 'partial', next: at };
  const lines = splitLines(bytes.slice(at, end));
  if (typeof lines === 'string') return { text, state: lines, next: at };
  const fields = readFields(lines, TRAILER_FIELDS_MAX);
  if (typeof fields === 'string') return { text, state: fields, next: at };
  return end + 4 - at > TRAILER_BYTES_MAX ? { text, state: 'size', next: at } : { text, state: 'whole', next: end + 4 };
}
