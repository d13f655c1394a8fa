import type { Code } from '@sallyport/http1';
import type { SandboxId, ServiceName } from '@sallyport/model';
import type { CloseReason } from './streams.ts';

/** How an exchange or tunnel ended. */
export type Ending =
  /** The application's answer went out whole; of a tunnel: both sides ended it. */
  | 'complete'
  /** Answered by the proxy itself; `code` says why. */
  | 'refused'
  | 'client-gone'
  /** The application died after its answer had begun: the client saw an unclean end. */
  | 'app-gone'
  /** The application's answer broke the rules after it had begun: the client saw an unclean end. */
  | 'app-protocol'
  /** Too long without a byte in either direction. */
  | 'silent'
  | CloseReason;

/** One line of the access log: handed to `onExchange` exactly once for each request that had a readable head, or was refused. */
export interface ExchangeRecord {
  readonly kind: 'http' | 'tunnel';
  /** The application's status, or that of our own answer; 0 if the client saw none. */
  readonly status: number;
  readonly ending: Ending;
  /** Of our own answer. */
  readonly code: Code | undefined;
  /** For the log only: what exactly was wrong. */
  readonly reason: string | undefined;
  /** '' where the head could not be read. */
  readonly method: string;
  /** Path without query: queries carry secrets. */
  readonly path: string;
  /** The connection's server name. */
  readonly host: string;
  readonly sandboxId: SandboxId;
  readonly service: ServiceName | undefined;
  /** Body bytes from the client; of a tunnel all bytes. */
  readonly bytesIn: number;
  /** Body bytes to the client; of a tunnel all bytes. */
  readonly bytesOut: number;
  readonly durationMs: number;
  /** The client's address: the stated one where a trusted peer states it. */
  readonly client: string;
}

/** Things that happen to connections, for counters. */
export type ConnectionEvent =
  | 'accepted'
  /** The system had no file descriptor for it. */
  | 'accept-failed'
  | 'secured'
  | 'closed'
  | 'over-process-limit'
  | 'over-client-limit'
  | 'over-instance-limit'
  | 'handshake-timeout'
  | 'handshake-failed'
  | 'name-unknown'
  | 'plain-http'
  | 'proxy-header-bad'
  | 'proxy-header-untrusted'
  | 'head-timeout'
  | 'idle-timeout';
