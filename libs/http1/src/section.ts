import type { Bytes } from './bytes.ts';
import { CR, LF, VALUE } from './octets.ts';

const EMPTY_LINE = '\r\n\r\n';

/** Decode this much at a time: nearly every head fits in one piece, and a body behind it is not decoded for nothing. */
const WINDOW_BYTES = 4_096;

/** What `take` answers when all input is consumed and the section is not whole. */
export const UNFINISHED = -1;
export const TOO_LARGE = -2;
export const MALFORMED = -3;

/** Gathers text up to and including an empty line, across any number of pieces of input. */
export interface Section<B> {
  /**
   * Takes from `chunk` at `from`.
   * @returns the position behind the section, whose text is then in `text`; or one of the constants above
   */
  take(chunk: B, from: number): number;
  text: string;
  /** Bytes gathered so far of an unfinished section. */
  readonly size: number;
  /** Whether what was gathered, be it whole, unfinished or bad, begins with this. */
  startsWith(text: string): boolean;
  begin(): void;
}

/**
 * @param before what precedes the section on the wire and counts for its end: a trailer section follows a line's CR LF, so
 *   that a lone CR LF is already the whole of it; a head follows nothing
 */
export function createSection<B extends Bytes<B>>(before: '' | '\r\n', bytesMax: number): Section<B> {
  let pending = '';
  // The last three characters, so that pieces are searched once each and a head that comes byte by byte costs no more.
  let tail: string = before;

  const section = {
    text: '',
    size: 0,
    begin(): void {
      pending = '';
      tail = before;
      section.text = '';
      section.size = 0;
    },
    startsWith: (text: string): boolean => (section.text === '' ? pending : section.text).startsWith(text),
    take(chunk: B, from: number): number {
      for (let at = from; at < chunk.length; at += WINDOW_BYTES) {
        const piece = chunk.toString('latin1', at, Math.min(at + WINDOW_BYTES, chunk.length));
        const joined = tail === '' ? piece : tail + piece;
        const found = joined.indexOf(EMPTY_LINE);
        if (found !== -1) {
          const taken = found + EMPTY_LINE.length - tail.length;
          section.text = pending === '' && taken === piece.length ? piece : pending + piece.slice(0, taken);
          return section.text.length > bytesMax ? TOO_LARGE : at + taken;
        }
        // Said at once and not at the end of a head that may never come: a peer that ends its lines in a bare LF waits for us.
        const isStart = pending === '' && before === '';
        pending += piece;
        if (isHopeless(joined, isStart)) return MALFORMED;
        section.size = pending.length;
        if (pending.length > bytesMax) return TOO_LARGE;
        tail = joined.slice(-3);
      }
      return UNFINISHED;
    },
  };
  return section;
}

/** Whether a section can no longer become good, whatever follows: it has a control byte, or a CR or LF without the other. */
function isHopeless(text: string, isStart: boolean): boolean {
  // The octet before a text that is not the start was judged with the piece before.
  let afterCr = !isStart && text.charCodeAt(0) === LF;
  for (let at = 0; at < text.length; at++) {
    const octet = text.charCodeAt(at);
    if (afterCr !== (octet === LF)) return true;
    afterCr = octet === CR;
    if (VALUE[octet] !== 1 && octet !== LF && !afterCr) return true;
  }
  return false;
}
