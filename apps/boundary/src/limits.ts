/** Everything that can grow has a limit here; at the limit the boundary refuses or ends, it never grows. */
export interface Limits {
  /** TLS connections of supervisors, handshakes included: one for each channel, and a few to talk. */
  readonly connectionsMax: number;
  /** Open ways to the application. */
  readonly channelsMax: number;
  /** Bytes of a request's head; a token is well below. */
  readonly headBytesMax: number;
  /** From the connection to the end of the handshake. */
  readonly handshakeMs: number;
  /** From the first byte of a request to its end. */
  readonly requestMs: number;
  /** How long a connection without a channel may wait for its next request. */
  readonly idleMs: number;
  /** How long one attempt to connect to the application may take. */
  readonly dialMs: number;
  /** Silence of a channel, in both directions together. Above the supervisor's own limit for a tunnel. */
  readonly channelSilenceMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  connectionsMax: 4_096,
  channelsMax: 4_000,
  headBytesMax: 16 * 1_024,
  handshakeMs: 10_000,
  requestMs: 10_000,
  idleMs: 120_000,
  dialMs: 5_000,
  channelSilenceMs: 2 * 60 * 60_000,
};

/** Of a body: a token, or nothing. Bytes. */
export const BODY_BYTES_MAX = 16 * 1_024;
/** Fields of a head. */
export const HEAD_FIELDS_MAX = 32;
/** Channels are looked at this often; every chunk is judged by itself, so this only tidies up. */
export const SWEEP_EVERY_MS = 250;
