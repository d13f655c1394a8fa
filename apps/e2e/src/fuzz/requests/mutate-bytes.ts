import type { Random } from '../random.ts';

const SPECIAL = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  '\x00',
  '\x0b',
  '\x7f',
  '\xff',
  ',',
  ';',
  '0',
  '/',
  '#',
  '"',
  '\\',
];

type ByteMutation = (text: string, random: Random) => string;

/** Blind ones, on the written text: for what the grammar of the drafts cannot say. */
export const byteMutations: Readonly<Record<string, ByteMutation>> = {
  'byte-replaced': (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
  },
  'byte-dropped': (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + 1);
  },
  'special-inserted': (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(SPECIAL) + text.slice(at);
  },
  'part-repeated': (text, random) => {
    const at = random.below(text.length);
    const part = text.slice(at, at + random.between(1, 40));
    return text.slice(0, at) + part + text.slice(at);
  },
  'part-dropped': (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + random.between(1, 12));
  },
  'line-end-replaced': (text, random) => {
    const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index);
    if (ends.length === 0) return text;
    const at = random.pick(ends);
    return text.slice(0, at) + random.pick(['\n', '\r', '\r\r\n', '\n\r', ' ', '\r\n ', '\r\n\t', '']) + text.slice(at + 2);
  },
  'lines-swapped': (text, random) => {
    const lines = text.split('\r\n');
    const at = random.below(lines.length);
    const line = lines.splice(at, 1);
    lines.splice(random.below(lines.length + 1), 0, ...line);
    return lines.join('\r\n');
  },
  truncated: (text, random) => text.slice(0, random.below(text.length + 1)),
};
