import { isIPv4, isIPv6 } from 'node:net';
import { err, ok, type Result } from '@sallyport/model';

/** Address ranges whose members are believed. An IPv4 address and its form inside IPv6 (`::ffff:a.b.c.d`) are the same. */
export interface CidrSet {
  has(address: string): boolean;
}

interface Range {
  /** 16 bytes; IPv4 as `::ffff:a.b.c.d`. */
  readonly bytes: Uint8Array;
  readonly bits: number;
}

const V4_PREFIX_BITS = 96;
const V6_BYTES = 16;

export const NO_CIDRS: CidrSet = { has: () => false };

/** Parses `10.0.0.0/8`, `fd00::/8`, or a bare address. Bits behind the prefix must be zero: a typo there widens trust. */
export function parseCidrs(texts: readonly string[]): Result<CidrSet, string> {
  const ranges: Range[] = [];
  for (const text of texts) {
    const range = parseRange(text);
    if (!range.ok) return range;
    ranges.push(range.value);
  }
  return ok({
    has(address) {
      const bytes = addressBytes(address);
      return bytes !== undefined && ranges.some((range) => sharesPrefix(bytes, range));
    },
  });
}

function parseRange(text: string): Result<Range, string> {
  const [address = '', length, ...more] = text.split('/');
  const bytes = addressBytes(address);
  if (bytes === undefined || more.length > 0) return err(`${JSON.stringify(text)} is no address range`);
  const offset = isIPv4(address) ? V4_PREFIX_BITS : 0;
  const bits = length === undefined ? 8 * V6_BYTES : offset + Number(length);
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || bits > 8 * V6_BYTES)) {
    return err(`${JSON.stringify(text)}: the prefix length does not fit the address`);
  }
  for (let bit = bits; bit < 8 * V6_BYTES; bit += 1) {
    if (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) return err(`${JSON.stringify(text)} has bits set behind its prefix`);
  }
  return ok({ bytes, bits });
}

function sharesPrefix(bytes: Uint8Array, { bytes: prefix, bits }: Range): boolean {
  const whole = bits >> 3;
  for (let index = 0; index < whole; index += 1) if (bytes[index] !== prefix[index]) return false;
  const rest = bits & 7;
  return rest === 0 || ((bytes[whole] ?? 0) ^ (prefix[whole] ?? 0)) >> (8 - rest) === 0;
}

/** One spelling for an address: IPv4 out of its IPv6 form, a zone dropped. What is no address stays as it is. */
export function normaliseAddress(address: string): string {
  if (!address.includes(':')) return address;
  const bare = address.split('%')[0] ?? address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  return mapped?.[1] ?? bare;
}

/** The 16 bytes of an address, IPv4 as `::ffff:a.b.c.d`; undefined if it is none. */
export function addressBytes(text: string): Uint8Array | undefined {
  const address = normaliseAddress(text);
  const bytes = new Uint8Array(V6_BYTES);
  if (isIPv4(address)) {
    bytes.set([0xff, 0xff], 10);
    bytes.set(v4Bytes(address), 12);
    return bytes;
  }
  if (!isIPv6(address)) return undefined;
  const [left = '', right] = address.split('::');
  const head = groups(left);
  const tail = right === undefined ? [] : groups(right);
  bytes.set(head, 0);
  bytes.set(tail, V6_BYTES - tail.length);
  return bytes;
}

const v4Bytes = (text: string): number[] => text.split('.').map(Number);

function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return v4Bytes(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
