import { type OnReadOpts, Socket } from 'node:net';

/**
 * Has an accepted socket read as `onread` of `net.connect` has a dialled one: into memory that it is given. Node does the same inside for
 * both, and has no option for the one that a server brings. So it is set from here, where it is as it was when this was written; where it
 * is not, false is returned and the socket tells of its data by events. `lend.test.ts` fails with a Node in which it is not.
 */
export function lend(socket: Socket, { buffer, callback }: OnReadOpts): boolean {
  const inside = socket as unknown as Inside;
  const { _handle: handle } = inside;
  if (!MEMORY || !NEXT || !CALLBACK || typeof buffer !== 'function' || typeof handle?.useUserBuffer !== 'function') return false;
  const first = buffer() as Buffer;
  inside[MEMORY] = first;
  inside[NEXT] = buffer;
  inside[CALLBACK] = callback;
  handle.useUserBuffer(first);
  return true;
}

/** What `net.Socket` sets of itself for its option `onread`. */
interface Inside {
  readonly _handle?: { useUserBuffer?: (memory: Uint8Array) => void } | null;
  [name: symbol]: unknown;
}

const SYMBOLS = Object.getOwnPropertySymbols(new Socket());
const named = (name: string): symbol | undefined => SYMBOLS.find((symbol) => symbol.description === name);
const [MEMORY, NEXT, CALLBACK] = [named('kBuffer'), named('kBufferGen'), named('kBufferCb')];
