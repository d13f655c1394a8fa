import type { ConfiguredService, Host } from '@sallyport/model';

/** One installed route: an exact host and the loopback port behind it. A changed route is a new route with a new key. */
export interface Route extends ConfiguredService {
  readonly key: RouteKey;
}

declare const kind: unique symbol;
/** Names one generation of one route within the process: streams and pooled connections belong to it and end with it. */
export type RouteKey = string & { readonly [kind]: 'RouteKey' };

export interface RouteTable {
  readonly routes: ReadonlyMap<Host, Route>;
  /**
   * Every host that this instance has ever served, oldest first, so that a client of a withdrawn service reads why
   * instead of failing in the handshake. Bounded by {@link KNOWN_HOSTS_MAX}.
   */
  readonly known: ReadonlySet<Host>;
  /** Number of the next route to be installed; never used twice in one instance. */
  readonly nextGeneration: number;
}

export const KNOWN_HOSTS_MAX = 1_024;

export const EMPTY_TABLE: RouteTable = { routes: new Map(), known: new Set(), nextGeneration: 1 };

export interface Installed {
  readonly table: RouteTable;
  /** Routes that were removed or changed: their streams and pooled connections must end now. */
  readonly withdrawn: readonly Route[];
  readonly installed: readonly Route[];
}

/** Replaces what is served by `services`. A route that is the same in every respect stays, with its streams. */
export function install(table: RouteTable, services: readonly ConfiguredService[]): Installed {
  const routes = new Map<Host, Route>();
  const installed: Route[] = [];
  let nextGeneration = table.nextGeneration;
  for (const service of services) {
    const present = table.routes.get(service.host);
    if (present !== undefined && sameService(present, service)) {
      routes.set(service.host, present);
      continue;
    }
    const route: Route = { ...service, key: `${service.host}#${nextGeneration}` as RouteKey };
    nextGeneration += 1;
    routes.set(service.host, route);
    installed.push(route);
  }
  const withdrawn = [...table.routes.values()].filter((route) => routes.get(route.host)?.key !== route.key);
  return { table: { routes, known: remember(table.known, routes.keys()), nextGeneration }, withdrawn, installed };
}

/** A rejected configuration serves nothing, nor does what it replaced. */
export const withdrawAll = (table: RouteTable): Installed => install(table, []);

function sameService(a: ConfiguredService, b: ConfiguredService): boolean {
  return (
    a.service === b.service &&
    a.port === b.port &&
    a.policy.origin === b.policy.origin &&
    a.policy.cookies === b.policy.cookies &&
    a.policy.host.kind === b.policy.host.kind &&
    (a.policy.host.kind !== 'value' || b.policy.host.kind !== 'value' || a.policy.host.value === b.policy.host.value)
  );
}

function remember(known: ReadonlySet<Host>, hosts: Iterable<Host>): ReadonlySet<Host> {
  const next = new Set(known);
  for (const host of hosts) {
    next.delete(host);
    next.add(host);
  }
  for (const oldest of next) {
    if (next.size <= KNOWN_HOSTS_MAX) break;
    next.delete(oldest);
  }
  return next;
}
