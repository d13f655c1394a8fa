import type { TLSSocket } from 'node:tls';
import { asData, lend } from './lend.ts';

/** Read at once from one connection; what TLS hands out in one piece is never more (RFC 8446 section 5.1). Bytes. */
export const RECORD_BYTES_MAX = 16 * 1_024;

/**
 * Has a TLS socket read into `memory`, which all connections share, if this Node can. What its `data` brings is only lent. Data may still
 * come after `pause`, as much as was decrypted with it (64 KiB at most).
 */
export const lendReads = (socket: TLSSocket, memory: Buffer): boolean =>
  lend(
    socket,
    asData(memory, () => socket),
  );

/**
 * Whether TLS has written what the system has not taken, or not told of. That may be more than the socket was given: it answers a key
 * update or a new handshake by itself. Undefined with a Node that does not tell.
 */
export function hasCiphertext(socket: TLSSocket): boolean | undefined {
  const byteCount = (socket as unknown as Inside)._handle?.writeQueueSize;
  return byteCount === undefined ? undefined : byteCount > 0;
}

/** What a TLS handle tells of itself. */
interface Inside {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}
