/**
 * Everything that can grow has a limit here; at the limit the edge refuses or ends, it never grows. Times are judged by a tick of
 * {@link TICK_MS}, so that no connection makes a timer: each may be late by one tick. Authority is not among them: it is looked
 * at for each connection and each chunk.
 */
export interface Limits {
  /** Client connections of the process; each that is passed on takes two file descriptors. */
  readonly connectionsMax: number;
  readonly connectionsPerHostMax: number;
  /** Of one address: the stated one where PROXY is believed. A trusted balancer itself does not count. */
  readonly connectionsPerClientMax: number;
  /** Connections that are not passed on yet. Each may hold its ClientHello and one more read, some 80 KiB. */
  readonly pendingMax: number;
  /** Of one address, as above: whoever opens many and says nothing leaves room for others. */
  readonly pendingPerClientMax: number;
  /** From the accepted connection to the end of its ClientHello. */
  readonly helloMs: number;
  /** From the end of the ClientHello to a connection that stands: all dials, and all waiting for a record. */
  readonly reachMs: number;
  /** One dial. */
  readonly dialMs: number;
  /** Silence in both directions. Longer than a supervisor's own longest, which knows what goes on inside. */
  readonly silenceMs: number;
  /** Silence once one side has ended. */
  readonly halfClosedMs: number;
  /**
   * How long connections to an owner that is left behind may go on, where its record says so in good order. The supervisor
   * ends them by itself when its lease does.
   */
  readonly handoverMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  connectionsMax: 10_000,
  connectionsPerHostMax: 5_000,
  connectionsPerClientMax: 1_024,
  pendingMax: 2_048,
  pendingPerClientMax: 256,
  helloMs: 10_000,
  reachMs: 10_000,
  dialMs: 3_000,
  silenceMs: 65 * 60_000,
  halfClosedMs: 30_000,
  handoverMs: 0,
};

export const TICK_MS = 500;
/** After a refused dial, the same place is tried again no sooner: a process that is started again is back after about this long. */
export const DIAL_AGAIN_MS = 1_000;
/** How long a client may take to read an alert and hang up. */
export const LINGER_MS = 1_000;
/** Hosts whose record went away and may come back: a takeover has a moment in which there is none. */
export const AWAITED_HOSTS_MAX = 10_000;
/** For how long: longer than the longest wait of a takeover. */
export const AWAITED_MS = 60_000;
