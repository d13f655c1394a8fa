import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * The TCP socket that a TLS socket of a server stands on. Node keeps it and does not tell; the addresses of both ends would name it as well,
 * for four system calls more a connection. Undefined with a Node that keeps it elsewhere; `tls-inside.test.ts` fails with that one.
 */
export const tcpBeneath = (socket: TLSSocket): Socket | undefined => (socket as unknown as Inside)._parent;

/**
 * Whether TLS has written what the system has not taken, or not told of. That may be more than the socket was given: it answers a key
 * update or a new handshake by itself. Undefined with a Node that does not tell.
 */
export function hasCiphertext(socket: TLSSocket): boolean | undefined {
  const byteCount = (socket as unknown as Inside)._handle?.writeQueueSize;
  return byteCount === undefined ? undefined : byteCount > 0;
}

/** What a TLS socket has besides its public face. */
interface Inside {
  readonly _parent?: Socket;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}
