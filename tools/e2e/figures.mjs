import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What the cases of `npm run e2e` wrote down, one JSON object a line. */
export function figuresOf(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const BEGIN = '<!-- figures: written by npm run e2e -- --write-figures -->';
const END = '<!-- end of figures -->';
const HEAD = ['| case | what | seen | bound |', '|---|---|---|---|'];

const rowOf = (figure) =>
  `| ${[figure.case, figure.what, `${figure.value} ${figure.unit}`.trim(), figure.bound].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

export const tableOf = (figures) => [...HEAD, ...figures.map(rowOf)].join('\n');

/** Replaces the rows of the cases that ran; those of others stay as they were measured. */
export function writeFigures(file, figures) {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for figures`);
  const ran = new Set(figures.map((figure) => figure.case));
  const kept = text
    .slice(from + BEGIN.length, to)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !HEAD.includes(line) && !ran.has(line.slice(2).split(' | ')[0]));
  const rows = [...HEAD, ...kept, ...figures.map(rowOf)].join('\n');
  writeFileSync(file, `${text.slice(0, from)}${BEGIN}\n${rows}\n${text.slice(to)}`);
}
