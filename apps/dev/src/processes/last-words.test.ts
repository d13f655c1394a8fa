import { expect, test } from 'vitest';
import { lastWords } from './last-words.ts';

const rows: [said: string, words: string][] = [
  ['', 'it said nothing'],
  ['supervisor: --pool is missing\n', 'supervisor: --pool is missing'],
  [
    '{"level":"info","msg":"starting"}\n{"level":"warn","why":"unavailable","msg":"listing the store anew"}\n',
    'listing the store anew: unavailable',
  ],
  [
    '{"level":"fatal","err":{"type":"Error","message":"no space left","stack":"…"},"msg":"cannot start"}\n',
    'cannot start: no space left',
  ],
  ['{"level":"fatal","er', '{"level":"fatal","er'],
];
test.each(rows)('%j', (said, words) => expect(lastWords(said)).toBe(words));
