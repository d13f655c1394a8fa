/**
 * What strangers can put into a reason or a name must not move the cursor, set the window's title, or turn the reading
 * direction: control characters and bidirectional overrides become spaces.
 */
const UNSAFE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

export const clean = (text: string): string => text.replace(UNSAFE, ' ');

/** Columns that a terminal uses for it. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** As much as fits into `columns`; the last column says that there was more. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  return columns < 1 ? '' : `${take(text, columns - 1)}…`;
}

/** Lines of at most `columns`, broken at spaces where there are some, else where the line is full. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (widthOf(line) > columns) {
      // A character that is wider than the whole line is still taken, or this would never end.
      const part = take(line, columns) || String.fromCodePoint(line.codePointAt(0) ?? 0);
      lines.push(part);
      line = line.slice(part.length);
    }
  }
  return line === '' ? lines : [...lines, line];
}

function take(text: string, columns: number): string {
  let taken = '';
  let width = 0;
  for (const character of text) {
    width += widthOfOne(character);
    if (width > columns) break;
    taken += character;
  }
  return taken;
}

function widthOfOne(character: string): number {
  if (character < '\u0300') return 1;
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

const MARK = /^(?:\p{M}|[\u200b-\u200d\u2060])$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
