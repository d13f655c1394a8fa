import { type OnReadOpts, Socket } from 'node:net';

/**
 * Has an accepted socket, TCP or TLS, read as `onread` of `net.connect` has a dialled one: into memory that it is given. Otherwise Node makes
 * memory for each read, or for each TLS record, and the collection of that is a third of what a large upload costs.
 *
 * Node has the same inside for both and an option for one. So it is set from here, where it is as it was when this was written; where it is
 * not, the socket reads as any other, and false is returned. `lent-reads.test.ts` fails with a Node in which it is not.
 */
export function lend(socket: Socket, { buffer, callback }: OnReadOpts): boolean {
  const inside = socket as unknown as Inside;
  const { _handle: handle } = inside;
  if (!MEMORY || !NEXT || !CALLBACK || typeof handle?.useUserBuffer !== 'function') return false;
  const first = typeof buffer === 'function' ? buffer() : buffer;
  inside[MEMORY] = first;
  if (typeof buffer === 'function') inside[NEXT] = buffer;
  inside[CALLBACK] = callback;
  handle.useUserBuffer(first);
  return true;
}

/** Reads into `memory` and tells of it as of any data, which is overwritten once the listeners have returned. */
export const asData = (memory: Buffer, socket: () => Socket): OnReadOpts => ({
  buffer: memory,
  callback(byteCount) {
    socket().emit('data', memory.subarray(0, byteCount));
    return true;
  },
});

/** What `net.Socket` sets of itself for its option `onread`. */
interface Inside {
  readonly _handle?: { readonly useUserBuffer?: (memory: Uint8Array) => void } | null;
  [name: symbol]: unknown;
}

const SYMBOLS = Object.getOwnPropertySymbols(new Socket());
const named = (name: string): symbol | undefined => SYMBOLS.find((symbol) => symbol.description === name);
const [MEMORY, NEXT, CALLBACK] = [named('kBuffer'), named('kBufferGen'), named('kBufferCb')];
