/**
 * The PROXY protocol, version 2: how a TCP balancer says whose connection it passes on. A binary header in front of
 * everything else (haproxy.org, proxy-protocol.txt section 2.2). Version 1 is not spoken: it is text, and ambiguous.
 */
export type ProxyHeader =
  /** The bytes do not begin one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly reason: string }
  /** `length` bytes belong to it. Without a source the connection is the balancer's own (a health check). */
  | { readonly kind: 'header'; readonly length: number; readonly source?: string };

const SIGNATURE = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a] as const;
const FIXED_BYTES = 16;
/** Addresses are 36 bytes at most; the rest are type-length-values that nobody here reads. */
const BODY_BYTES_MAX = 2_048;
const [LOCAL, PROXY] = [0x20, 0x21];
const [UNSPECIFIED, TCP4, TCP6] = [0x00, 0x11, 0x21];

export function parseProxyHeader(bytes: Uint8Array): ProxyHeader {
  const seen = Math.min(bytes.length, SIGNATURE.length);
  for (let index = 0; index < seen; index += 1) if (bytes[index] !== SIGNATURE[index]) return { kind: 'none' };
  if (bytes.length < FIXED_BYTES) return { kind: 'more' };
  const [command, family, high = 0, low = 0] = bytes.subarray(SIGNATURE.length, FIXED_BYTES);
  const bodyBytes = high * 256 + low;
  if (command !== LOCAL && command !== PROXY) return { kind: 'bad', reason: 'unknown version or command' };
  if (bodyBytes > BODY_BYTES_MAX) return { kind: 'bad', reason: `longer than ${BODY_BYTES_MAX} bytes` };
  const length = FIXED_BYTES + bodyBytes;
  if (bytes.length < length) return { kind: 'more' };
  if (command === LOCAL || family === UNSPECIFIED) return { kind: 'header', length };
  const body = bytes.subarray(FIXED_BYTES, length);
  if (family === TCP4)
    return body.length < 12 ? { kind: 'bad', reason: 'addresses cut short' } : { kind: 'header', length, source: v4Text(body) };
  if (family === TCP6)
    return body.length < 36 ? { kind: 'bad', reason: 'addresses cut short' } : { kind: 'header', length, source: v6Text(body) };
  return { kind: 'bad', reason: 'not a TCP connection' };
}

const v4Text = (body: Uint8Array): string => body.subarray(0, 4).join('.');

function v6Text(body: Uint8Array): string {
  const groups: string[] = [];
  for (let index = 0; index < 16; index += 2) groups.push((((body[index] ?? 0) << 8) | (body[index + 1] ?? 0)).toString(16));
  const text = groups.join(':');
  if (text.startsWith('0:0:0:0:0:ffff:')) return body.subarray(12, 16).join('.');
  // The longest run of zero groups, as RFC 5952 writes it.
  const runs = [...text.matchAll(/(?<=^|:)0(?::0)+(?=:|$)/g)].sort((a, b) => b[0].length - a[0].length);
  const run = runs[0];
  if (run === undefined) return text;
  const before = text.slice(0, run.index).replace(/:$/, '');
  const after = text.slice(run.index + run[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}
