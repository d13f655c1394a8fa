import { type HelloReading, refused } from './reading.ts';

const HOST_NAME = 0;
/** Of a host name in the DNS, with its dots. */
const HOST_NAME_BYTES_MAX = 255;
const LIST_HEADER_BYTES = 2;
const ENTRY_HEADER_BYTES = 3;

/** Letters, digits, hyphen, dot, and the underscore that some names have; nothing else may reach a table of hosts or a log. */
const ALLOWED = new Uint8Array(256);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._') ALLOWED[character.charCodeAt(0)] = 1;

/**
 * The extension's list (RFC 6066 section 3). One entry, of the one type that there is: more than one of a type is forbidden, and
 * how long an entry of another type would be is defined nowhere, so readers of such a list would disagree.
 */
export function readServerNames(bytes: Uint8Array, from: number, to: number): HelloReading {
  const nameFrom = from + LIST_HEADER_BYTES + ENTRY_HEADER_BYTES;
  if (nameFrom >= to) return refused('malformed');
  const listBytes = ((bytes[from] as number) << 8) | (bytes[from + 1] as number);
  const nameBytes = ((bytes[nameFrom - 2] as number) << 8) | (bytes[nameFrom - 1] as number);
  if (from + LIST_HEADER_BYTES + listBytes !== to) return refused('malformed');
  if (bytes[from + LIST_HEADER_BYTES] !== HOST_NAME || nameFrom + nameBytes !== to) return refused('malformed');
  if (nameBytes > HOST_NAME_BYTES_MAX) return refused('server-name-bad');
  let serverName = '';
  for (let at = nameFrom; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (ALLOWED[byte] !== 1) return refused('server-name-bad');
    serverName += String.fromCharCode(byte);
  }
  return { kind: 'hello', serverName };
}
