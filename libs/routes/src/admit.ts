import { refusalAt, type Standing, type StandingRefusal } from '@sallyport/authority';
import { err, type Host, type Instant, ok, type Result } from '@sallyport/model';
import type { Route, RouteTable } from './table.ts';

declare const proof: unique symbol;

/** Proof that this request may go to this route. Only `admit` makes one; whoever forwards must hold it. */
export interface Permit {
  readonly [proof]: true;
  readonly route: Route;
}

export type AdmitRefusal = 'host_mismatch' | 'route_unknown' | 'route_withdrawn' | StandingRefusal;

export interface Asked {
  /** The connection's TLS server name, normalised. */
  readonly serverName: Host;
  /** The request's Host without its port, normalised. */
  readonly host: Host;
}

/**
 * @param servedHere whether any instance of this process serves a host: 421 tells a client to try that host on another
 *   connection, which is a lie for a name that nobody serves (RFC 9110 section 15.5.20).
 */
export function admit(
  table: RouteTable,
  standing: Standing,
  asked: Asked,
  now: Instant,
  servedHere: (host: Host) => boolean,
): Result<Permit, AdmitRefusal> {
  if (asked.host !== asked.serverName) return err(servedHere(asked.host) ? 'host_mismatch' : 'route_unknown');
  const route = table.routes.get(asked.host);
  if (route === undefined) return err(table.known.has(asked.host) ? 'route_withdrawn' : 'route_unknown');
  const refusal = refusalAt(standing, now);
  return refusal === undefined ? ok({ route } as Permit) : err(refusal);
}
