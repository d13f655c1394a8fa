import { expect, test } from 'vitest';
import { createLines } from './lines.ts';

function read(chunks: readonly (string | Uint8Array)[], bytesMax?: number) {
  const lines: string[] = [];
  const push = createLines((line) => lines.push(line), bytesMax);
  const taken = chunks.map((chunk) => push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return { lines, whole: taken.every((each) => each) };
}
const euro = Buffer.from('€');

const rows: [title: string, chunks: readonly (string | Uint8Array)[], lines: string[], whole: boolean, max?: number][] = [
  ['one line', ['a\n'], ['a'], true],
  ['many in one piece', ['a\nb\n\nc\n'], ['a', 'b', 'c'], true],
  ['one in many pieces', ['a', 'b', '\n', 'c\n'], ['ab', 'c'], true],
  ['a character that came apart', [euro.subarray(0, 1), euro.subarray(1), '\n'], ['€'], true],
  ['nothing of a line that did not end', ['a\nb'], ['a'], true],
  ['a line at the bound', ['abc\n'], ['abc'], true, 3],
  ['no line past the bound', ['abcd\n'], [], false, 3],
  ['no line that will never end', ['ab', 'cd'], [], false, 3],
];
test.each(rows)('%s', (_title, chunks, lines, whole, max) => expect(read(chunks, max)).toEqual({ lines, whole }));
