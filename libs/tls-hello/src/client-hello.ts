import { type HelloReading, refused } from './reading.ts';
import { readServerNames } from './server-name.ts';

/** Of a handshake message: type and 24-bit length. */
export const MESSAGE_HEADER_BYTES = 4;

const VERSION_BYTES = 2;
const RANDOM_BYTES = 32;
const SESSION_ID_BYTES_MAX = 32;
const TLS_MAJOR = 3;
const SERVER_NAME = 0;

const MALFORMED = refused('malformed');
const NO_SERVER_NAME = refused('no-server-name');

const u16 = (bytes: Uint8Array, at: number): number => ((bytes[at] as number) << 8) | (bytes[at + 1] as number);

/**
 * Finds the server name in the body of a ClientHello, `bytes` from `from` to `to` (RFC 8446 section 4.1.2). Strict in every
 * length on the way, because whoever reads it after us must not find another name in it; what the other extensions hold is
 * the business of the two ends.
 */
export function readClientHello(bytes: Uint8Array, from: number, to: number): HelloReading {
  let at = from + VERSION_BYTES + RANDOM_BYTES;
  if (at >= to || bytes[from] !== TLS_MAJOR) return MALFORMED;
  const sessionIdBytes = bytes[at] as number;
  at += 1 + sessionIdBytes;
  if (sessionIdBytes > SESSION_ID_BYTES_MAX || at + 2 > to) return MALFORMED;
  const suitesBytes = u16(bytes, at);
  at += 2 + suitesBytes;
  if (suitesBytes === 0 || suitesBytes % 2 !== 0 || at >= to) return MALFORMED;
  const methodsBytes = bytes[at] as number;
  at += 1 + methodsBytes;
  if (methodsBytes === 0 || at > to) return MALFORMED;
  // Before TLS 1.3 a hello may end here.
  if (at === to) return NO_SERVER_NAME;
  if (at + 2 > to || at + 2 + u16(bytes, at) !== to) return MALFORMED;
  return readExtensions(bytes, at + 2, to);
}

/** All of them are walked, also past the server name: a second one, or one that is cut short, makes the first worth nothing. */
function readExtensions(bytes: Uint8Array, from: number, to: number): HelloReading {
  let found: HelloReading | undefined;
  for (let at = from; at < to; ) {
    if (at + 4 > to) return MALFORMED;
    const type = u16(bytes, at);
    const begin = at + 4;
    at = begin + u16(bytes, at + 2);
    if (at > to) return MALFORMED;
    if (type !== SERVER_NAME) continue;
    if (found !== undefined) return MALFORMED;
    found = readServerNames(bytes, begin, at);
  }
  return found ?? NO_SERVER_NAME;
}
