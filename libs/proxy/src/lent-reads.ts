import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Read at once from one connection; what TLS hands out in one piece is never more (RFC 8446 section 5.1). Bytes. */
export const RECORD_BYTES_MAX = 16 * 1_024;

/**
 * Has a TLS socket read into `memory`, which all connections share: what its `data` brings is overwritten once the listeners have
 * returned. Otherwise Node makes memory for each TLS record, and the collection of that is a third of what a large upload costs.
 *
 * For a TCP socket this is an option (`onread` of `net.connect`); for a TLS socket on an accepted connection Node has the same inside and
 * no option. So it is set from here, where it is as it was when this was written; where not, the socket reads as any other, and false
 * is returned. `lent-reads.test.ts` fails with a Node in which it is not.
 *
 * Data may still come after `pause`, as much as was decrypted with it (64 KiB at most).
 */
export function lendReads(socket: TLSSocket, memory: Buffer): boolean {
  const inside = socket as unknown as Inside;
  const { _handle: handle } = inside;
  if (MEMORY === undefined || CALLBACK === undefined || typeof handle?.useUserBuffer !== 'function') return false;
  inside[MEMORY] = memory;
  inside[CALLBACK] = (byteCount) => {
    socket.emit('data', memory.subarray(0, byteCount));
    return true;
  };
  handle.useUserBuffer(memory);
  return true;
}

/**
 * Whether TLS has written what the system has not taken, or not told of. That may be more than the socket was given: it answers a key
 * update or a new handshake by itself. Undefined with a Node that does not tell.
 */
export function hasCiphertext(socket: TLSSocket): boolean | undefined {
  const byteCount = (socket as unknown as Inside)._handle?.writeQueueSize;
  return byteCount === undefined ? undefined : byteCount > 0;
}

/** What `net.Socket` sets of itself for its option `onread`, and what a TLS handle tells. */
interface Inside {
  readonly _handle?: { readonly useUserBuffer?: (memory: Buffer) => void; readonly writeQueueSize?: number } | null;
  [name: symbol]: Buffer | ((byteCount: number) => boolean);
}

const named = (name: string): symbol | undefined => SYMBOLS.find((symbol) => symbol.description === name);
const SYMBOLS = Object.getOwnPropertySymbols(new Socket());
const MEMORY = named('kBuffer');
const CALLBACK = named('kBufferCb');
