import type { Fields } from './head.ts';

/** Follows the data of every chunk. */
export const CHUNK_END = '\r\n';

/** The size line before `length` bytes of chunk data. A length of 0 would end the body: only `lastChunk` may. */
export function chunkHead(length: number): string {
  if (length <= 0) throw new Error('an empty chunk ends a body');
  return `${length.toString(16)}\r\n`;
}

/** The last chunk and its trailer section. `trailers` are a reader's: what a trailer may not carry is already gone. */
export function lastChunk(trailers: Fields): string {
  let out = '0\r\n';
  for (let i = 0; i < trailers.length; i += 2) out += `${trailers[i]}: ${trailers[i + 1]}\r\n`;
  return `${out}\r\n`;
}
