/** Why a connection is not passed on, as far as its first bytes tell. */
export type HelloRefusal =
  /** It does not begin like TLS: plain HTTP, SSLv2, noise. */
  | 'not-tls'
  /** It begins like TLS and breaks its rules (RFC 8446 sections 4.1.2 and 5.1, RFC 6066 section 3). */
  | 'malformed'
  /** Its ClientHello is, or says that it is, longer than HELLO_BYTES_MAX. */
  | 'too-large'
  | 'no-server-name'
  /** A server name that is no host name: too long, or with characters that none has. */
  | 'server-name-bad';

export type HelloReading =
  | { readonly kind: 'more' }
  /** The name as sent: neither lower-cased nor without its trailing dot. */
  | { readonly kind: 'hello'; readonly serverName: string }
  | { readonly kind: 'refused'; readonly reason: HelloRefusal };

/**
 * From the first byte of the connection to the last of its ClientHello, record headers included. A hello with post-quantum
 * key shares has about 1,800; padding and many pre-shared keys may make it a few thousand.
 */
export const HELLO_BYTES_MAX = 16_384;

export const refused = (reason: HelloRefusal): HelloReading => ({ kind: 'refused', reason });
