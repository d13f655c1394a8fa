import { clean, cut, widthOf } from './text.ts';

export type Tone = 'plain' | 'strong' | 'soft' | 'good' | 'wait' | 'bad' | 'link';

/** Text of one tone. Laid out first and coloured last, so that colour never changes where something stands. */
export interface Piece {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Piece[];

export const piece = (text: string, tone: Tone = 'plain'): Piece => ({ text: clean(text), tone });

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** `left`, and `right` at the end of the columns; without `right` if there is no room for both. */
export function spread(left: Line, right: Line, columns: number): Line {
  const gap = columns - lineWidth(left) - lineWidth(right);
  return gap < 2 ? left : [...left, piece(' '.repeat(gap)), ...right];
}

/** As text for a terminal, never wider than `columns`: a line that wraps would make the cursor lose its place. */
export function paint(line: Line, { columns, color }: { readonly columns: number; readonly color: boolean }): string {
  let room = columns;
  let painted = '';
  for (const { text, tone } of line) {
    const shown = cut(text, room);
    room -= widthOf(shown);
    painted += color && tone !== 'plain' && shown.trim() !== '' ? `\u001b[${SGR[tone]}m${shown}\u001b[0m` : shown;
  }
  return color ? painted : painted.trimEnd();
}

/** The sixteen colours that people choose for their own terminals; none of them alone tells anything. */
const SGR: Readonly<Record<Exclude<Tone, 'plain'>, string>> = {
  strong: '1',
  soft: '2',
  good: '32',
  wait: '33',
  bad: '31',
  link: '36',
};
