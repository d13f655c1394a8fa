import { expect, test } from 'vitest';
import { chunkHead, lastChunk } from './chunk-writer.ts';

test.each([
  [1, '1\r\n'],
  [255, 'ff\r\n'],
  [65_536, '10000\r\n'],
])('a chunk of %i', (length, want) => expect(chunkHead(length)).toBe(want));

test.each([0, -1])('no chunk of %i: it would end the body', (length) => expect(() => chunkHead(length)).toThrow('ends a body'));

test('the last chunk, without and with trailers', () => {
  expect(lastChunk([])).toBe('0\r\n\r\n');
  expect(lastChunk(['A', '1', 'b', ''])).toBe('0\r\nA: 1\r\nb: \r\n\r\n');
});
