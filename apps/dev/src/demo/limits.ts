/** Everything that the demo application could be made to hold, with the most it will. Tests set them smaller. */
export interface DemoLimits {
  /** Sockets of all kinds at one time; the rest wait in the backlog of the system. */
  readonly connectionMax: number;
  readonly echoMax: number;
  readonly clockMax: number;
  readonly uploadMax: number;
  /** Of one upload. Nothing is kept, so this bounds time and not memory. */
  readonly uploadBytesMax: number;
  /** Of one WebSocket message, over all its fragments. */
  readonly messageBytesMax: number;
  readonly tickMs: number;
  /** A WebSocket that answers no Ping for this long is gone. */
  readonly pingMs: number;
  /** How long a peer has to answer a Close, and `close()` waits at most. */
  readonly closeMs: number;
  /** Silence on a plain connection or in the midst of an upload. */
  readonly silenceMs: number;
}

export const DEMO_LIMITS: DemoLimits = {
  connectionMax: 512,
  echoMax: 64,
  clockMax: 64,
  uploadMax: 16,
  uploadBytesMax: 4 * 2 ** 30,
  messageBytesMax: 64 * 2 ** 10,
  tickMs: 1_000,
  pingMs: 20_000,
  closeMs: 250,
  silenceMs: 60_000,
};
