import type { Certificates } from './certificate-watch.ts';
import type { CidrSet } from './cidr.ts';
import type { Clock } from './clock.ts';
import type { Instances } from './instances.ts';
import type { Limits } from './limits.ts';
import type { ConnectionEvent, ExchangeRecord } from './records.ts';

export interface ListenerOptions {
  /** Address to listen on, `::` for all. */
  readonly address: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly certificates: Certificates;
  readonly instances: Instances;
  readonly limits: Limits;
  /** Peers whose PROXY protocol v2 header and X-Forwarded-For are believed, and which do not count as one client. */
  readonly trusted: CidrSet;
  readonly clock: Clock;
  /** Once for each exchange, at its end. */
  readonly onExchange: (record: ExchangeRecord) => void;
  readonly onConnection: (event: ConnectionEvent) => void;
}

export interface Listener {
  /** The port that it really has. */
  readonly port: number;
  connectionCount(): number;
  /**
   * Accepts nothing more, lets exchanges finish (they say `Connection: close`), closes tunnels and what is left when
   * the grace is over. Resolves when the last connection is closed.
   */
  drain(graceMs: number): Promise<void>;
}

/** Opens the one TLS listener of the process. Rejects if the address cannot be had. */
export function listenForApps(_options: ListenerOptions): Promise<Listener> {
  throw new Error('not built yet');
}
