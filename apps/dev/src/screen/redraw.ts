import { stripVTControlCharacters } from 'node:util';
import { widthOf } from './text.ts';

/** The cursor rests at the start of the line below the view. Everything moves relative to that: what is above is not ours. */
export const HIDE_CURSOR = '\u001b[?25l';
export const SHOW_CURSOR = '\u001b[?25h';

/** A terminal that knows it shows all of it at once; another ignores it. */
const TOGETHER = '\u001b[?2026h';
const DONE = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** From one view to the next: only lines that differ are written. Empty when nothing does. */
export function redraw(before: readonly string[], after: readonly string[]): string {
  if (before.length === after.length && before.every((line, i) => line === after[i])) return '';
  let moves = up(before.length);
  for (const [i, line] of after.entries()) {
    // Cleared first: a full line leaves the cursor on its last column, and clearing there takes a character away.
    moves += line === before[i] ? '\r\n' : `\r${CLEAR_LINE}${line}\r\n`;
  }
  return `${TOGETHER}${moves}${after.length < before.length ? CLEAR_BELOW : ''}${DONE}`;
}

/** Takes the view away. `columns` is how wide the terminal is now: one that became narrower has wrapped the lines since. */
export function erase(shown: readonly string[], columns: number): string {
  const rowCount = shown.reduce((sum, line) => sum + rowsOf(line, columns), 0);
  return `${up(rowCount)}\r${CLEAR_BELOW}`;
}

const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / Math.max(1, columns)));

const up = (count: number): string => (count === 0 ? '' : `\u001b[${count}A`);
