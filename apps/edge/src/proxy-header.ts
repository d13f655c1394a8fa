import { isIPv4 } from 'node:net';
import { addressBytes } from '@sallyport/proxy';

/** Both ends of the client's connection. */
export interface Ends {
  readonly source: string;
  /** 0 where a balancer stated the address alone. */
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
}

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const PROXY = 0x21;
const [TCP4, TCP6] = [0x11, 0x21];
const FIXED_BYTES = 16;

/** The PROXY protocol, version 2, section 2.2: whose connection it is that the supervisor gets. */
export function proxyHeader({ source, sourcePort, destination, destinationPort }: Ends): Buffer {
  const isV4 = isIPv4(source) && isIPv4(destination);
  const addressLength = isV4 ? 4 : 16;
  const header = Buffer.alloc(FIXED_BYTES + 2 * addressLength + 4);
  SIGNATURE.copy(header);
  header[12] = PROXY;
  header[13] = isV4 ? TCP4 : TCP6;
  header.writeUInt16BE(2 * addressLength + 4, 14);
  // In 16 bytes an IPv4 address is at the end.
  const of = (address: string): Uint8Array => (addressBytes(address) ?? new Uint8Array(16)).subarray(16 - addressLength);
  header.set(of(source), FIXED_BYTES);
  header.set(of(destination), FIXED_BYTES + addressLength);
  header.writeUInt16BE(sourcePort, FIXED_BYTES + 2 * addressLength);
  header.writeUInt16BE(destinationPort, FIXED_BYTES + 2 * addressLength + 2);
  return header;
}
