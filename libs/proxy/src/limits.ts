import { DEFAULT_LIMITS as CODEC_DEFAULTS, type Limits as CodecLimits } from '@sallyport/http1';

/**
 * Everything that can grow has a limit here; at the limit the proxy refuses or ends, it never grows. Times are judged
 * by a tick of {@link TICK_MS}, so that no request makes a timer: each may be late by one tick. The listener's limits
 * count for what belongs to client connections, an instance's own for its connections, streams and pool.
 */
export interface Limits {
  /** Client connections of the whole listener, handshakes included. */
  readonly connectionsMax: number;
  /** Client connections of one instance. */
  readonly connectionsPerInstanceMax: number;
  /**
   * Client connections of one address: the stated one where PROXY is believed. Behind a trusted proxy, which itself does
   * not count, the same number bounds the exchanges at one time of each address that its X-Forwarded-For states.
   */
  readonly connectionsPerClientMax: number;
  /** Exchanges and tunnels at one time of one route. */
  readonly streamsPerRouteMax: number;
  /** Fields of a head, either direction: a hundred of the application's own, and room for Host and the rest beside them. */
  readonly headFieldsMax: number;
  /** Bytes of a head, either direction. */
  readonly headBytesMax: number;
  /** From the accepted connection to the end of the handshake, PROXY header included. */
  readonly handshakeMs: number;
  /** From the first byte of a request's head to its last. */
  readonly headMs: number;
  /** How long a client connection may wait between two requests. */
  readonly idleMs: number;
  /** How long one attempt to connect to the application may take. */
  readonly dialMs: number;
  /** From the whole request to the first byte of the application's answer; an upload in progress pushes it ahead. */
  readonly firstByteMs: number;
  /** Silence, in both directions together, of an exchange whose answer has begun. */
  readonly streamSilenceMs: number;
  readonly tunnelSilenceMs: number;
  /** What remains of a tunnel after one side has ended and stays silent. */
  readonly tunnelHalfClosedMs: number;
  /** How long an upload is drained, or a connection lingers, after the answer was flushed. */
  readonly lingerMs: number;
  /** Bytes of an unwanted upload that are read and dropped, so that the client reads our answer instead of a reset. */
  readonly lingerBytesMax: number;
  /** Idle connections to the application that one route keeps. */
  readonly idleAppConnectionsMax: number;
  /** How long one of them may wait. Below the five seconds after which Node's own server hangs up. */
  readonly appIdleMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  connectionsMax: 10_000,
  connectionsPerInstanceMax: 5_000,
  connectionsPerClientMax: 1_024,
  streamsPerRouteMax: 1_024,
  headFieldsMax: 128,
  headBytesMax: 32 * 1_024,
  handshakeMs: 30_000,
  headMs: 30_000,
  idleMs: 120_000,
  dialMs: 10_000,
  firstByteMs: 300_000,
  streamSilenceMs: 15 * 60_000,
  tunnelSilenceMs: 60 * 60_000,
  tunnelHalfClosedMs: 30_000,
  lingerMs: 5_000,
  lingerBytesMax: 64 * 1_024 * 1_024,
  idleAppConnectionsMax: 64,
  appIdleMs: 4_000,
};

export const TICK_MS = 500;
/** Until a connection is looked after by TCP's own probes; most have ended before, and save four system calls. */
export const KEEPALIVE_AFTER_MS = 30_000;

/** What of it bounds the readers of heads. */
export const codecLimits = (limits: Limits): CodecLimits => ({
  ...CODEC_DEFAULTS,
  headBytesMax: limits.headBytesMax,
  fieldCountMax: limits.headFieldsMax,
});
