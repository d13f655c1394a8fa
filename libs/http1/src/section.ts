import type { Bytes } from './bytes.ts';

const EMPTY_LINE = '\r\n\r\n';

/** Decode this much at a time: nearly every head fits in one piece, and a body behind it is not decoded for nothing. */
const WINDOW_BYTES = 4_096;

/** A byte that no section may have, whatever follows: control bytes, a bare LF or CR. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are what it looks for
const NEVER = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[^\r]\n|\r[^\n]/;

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
      section.size = 0;
    },
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
        if (NEVER.test(joined) || (tail === '' && joined.startsWith('\n'))) return MALFORMED;
        pending += piece;
        section.size = pending.length;
        if (pending.length > bytesMax) return TOO_LARGE;
        tail = joined.slice(-3);
      }
      return UNFINISHED;
    },
  };
  return section;
}
