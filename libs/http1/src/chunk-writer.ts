import type { Fields } from './head.ts';

/** Follows the data of every chunk. */
export const CHUNK_END = '\r\n';

/** The size line before `length` bytes of chunk data. `length` is not 0: that would end the body. */
export function chunkHead(_length: number): string {
  throw new Error('not built yet');
}

/** The last chunk and its trailer section; fields that a trailer may not carry (RFC 9110 section 6.5.1) are left out. */
export function lastChunk(_trailers: Fields): string {
  throw new Error('not built yet');
}
