import type { Limits as CodecLimits, RequestReader } from '@sallyport/http1';
import type { Host } from '@sallyport/model';
import type { CidrSet } from './cidr.ts';
import type { ClientCounts } from './client-counts.ts';
import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import type { Outbox } from './outbox.ts';
import type { Peer } from './peer.ts';
import type { ExchangeRecord } from './records.ts';
import type { Slabs } from './slabs.ts';

/** What a client connection lends to the exchange that it carries. */
export interface ClientSide {
  readonly serverName: Host;
  readonly peer: Peer;
  readonly requests: RequestReader<Buffer>;
  /** For tunnels: what is unread, in order. Nothing is kept of the reader after this, since a tunnel may live for days. */
  takeRest(): Buffer[];
  readonly outbox: Outbox;
  readonly surroundings: Surroundings;
  /** The connection should end after the answer under way. */
  closing(): boolean;
  /** Goes on reading the request: the exchange can take more of it. */
  readRequest(): void;
  /** The exchange is over and its answer handed to the system: the next request, or a lingering end. */
  answered(close: boolean): void;
  cut(how: Cut): void;
  pause(): void;
  resume(): void;
  /** For tunnels: ends our side; the client may still send. */
  end(): void;
}

/**
 * Ends the connection so that the client knows its answer is not whole: without TLS's end, and
 * - `reset`: at once, with nothing more sent;
 * - `reset-flushed`: after what was written has been handed to the system, by a reset;
 * - `close-flushed`: the same by a plain end, behind which the system still delivers what it holds.
 */
export type Cut = 'reset' | 'reset-flushed' | 'close-flushed';

/** What all connections of a listener have in common. */
export interface Surroundings {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly codecLimits: CodecLimits;
  readonly trusted: CidrSet;
  /** Exchanges at one time of the addresses that trusted peers state. */
  readonly statedClients: ClientCounts;
  readonly slabs: Slabs;
  readonly onExchange: (record: ExchangeRecord) => void;
}
