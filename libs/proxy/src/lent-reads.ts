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
