import { refusalAt, type Standing, type StandingRefusal, servesUntil, startStanding } from '@sallyport/authority';
import type { Code } from '@sallyport/http1';
import { type Host, type Instant, LONG_AGO, type Result, type SandboxId } from '@sallyport/model';
import { type AdmitRefusal, type Asked, admit, EMPTY_TABLE, type Permit, type Route, type RouteTable } from '@sallyport/routes';
import type { Clock } from './clock.ts';
import type { Connector } from './connector.ts';
import type { Limits } from './limits.ts';
import { type AppPool, createAppPool } from './pool.ts';
import { type Carrier, type CloseReason, createStreams } from './streams.ts';

/** What the supervisor makes of one sandbox, and drives. Nothing that happens to one instance touches another. */
export interface Instance {
  readonly sandboxId: SandboxId;
  /**
   * What is served from now on, and until when. Cheap: call it at every change of either. Closes nothing by itself but
   * idle client connections once nothing is admitted any more: hand what a configuration withdrew to `withdraw`.
   * Returns the hosts that another instance serves: that one stays, they are not served here.
   */
  update(table: RouteTable, standing: Standing): readonly Host[];
  /** Closes exactly the streams and pooled connections of these routes, within this call. */
  withdraw(routes: readonly Route[], reason: CloseReason): void;
  /** Refuses everything from now on, aborts what is being dialled, closes all streams, gives its hosts back. Final. */
  stop(reason: CloseReason): void;
  /** Tidies up: closes what has outlived `servesUntil`. Nothing of it was forwarded meanwhile; each chunk is checked. */
  sweep(now: Instant): void;
  counters(): InstanceCounters;
}

export interface InstanceCounters {
  /** Requests that were admitted, since the start. */
  readonly requestCount: number;
  readonly liveStreamCount: number;
  readonly connectionCount: number;
  readonly idleAppConnectionCount: number;
  /** The last of our own answers about this instance that was the application's doing. */
  readonly lastError?: { readonly code: Code; readonly host: string; readonly reason: string; readonly at: Instant };
}

export interface InstanceOptions {
  readonly sandboxId: SandboxId;
  readonly mode: Standing['mode'];
  readonly connector: Connector;
  readonly limits: Limits;
}

/** A client connection as its instance sees it. */
export interface InstanceConnection {
  /** Nothing is admitted any more: close if idle, else after the answer under way. */
  closeWhenIdle(): void;
}

/** What the client connections of an instance use of it. */
export interface ServingInstance extends Instance {
  readonly limits: Limits;
  readonly pool: AppPool;
  admit(asked: Asked, now: Instant): Result<Permit, AdmitRefusal>;
  /** Registers in the turn of `admit`: no await between. False at the route's limit. */
  open(permit: Permit, carrier: Carrier): boolean;
  done(route: Route, carrier: Carrier): void;
  /** Until when a byte may be forwarded. Read it for every chunk. */
  until(): Instant;
  /** Why what was admitted may not go on; undefined while it may. */
  lapsedAt(now: Instant): StandingRefusal | undefined;
  /** True once nothing is admitted: the connection should say so and end. */
  closing(): boolean;
  /** False at the instance's limit. */
  enter(connection: InstanceConnection): boolean;
  leave(connection: InstanceConnection): void;
  note(code: Code, host: string, reason: string): void;
}

/** What an instance needs of the directory that it lives in. */
export interface InstanceSurroundings {
  readonly clock: Clock;
  readonly servedHere: (host: Host) => boolean;
  /** Claims the hosts of a table; returns those that another instance serves. */
  index(instance: ServingInstance, table: RouteTable): readonly Host[];
  remove(instance: ServingInstance): void;
}

export function createInstance(options: InstanceOptions, surroundings: InstanceSurroundings): ServingInstance {
  const { sandboxId, connector, limits, mode } = options;
  const { clock } = surroundings;
  const streams = createStreams(limits.streamsPerRouteMax);
  const pool = createAppPool({ connector, limits, clock });
  const connections = new Set<InstanceConnection>();
  let table: RouteTable = EMPTY_TABLE;
  let standing: Standing = startStanding(mode);
  let until: Instant = LONG_AGO;
  let refusedHosts: readonly Host[] = [];
  let requestCount = 0;
  let lastError: InstanceCounters['lastError'];
  /** Not the same as a standing that no longer runs: whoever says that first, `stop` still has everything to do. */
  let stopped = false;

  const closeIdle = (): void => {
    for (const connection of [...connections]) connection.closeWhenIdle();
  };

  const instance: ServingInstance = {
    sandboxId,
    limits,
    pool,
    update(nextTable, nextStanding) {
      if (stopped) return [];
      if (nextTable !== table || refusedHosts.length > 0) refusedHosts = surroundings.index(instance, nextTable);
      table = nextTable;
      const closed = nextStanding.released && !standing.released;
      standing = nextStanding;
      until = servesUntil(nextStanding);
      if (closed) closeIdle();
      return refusedHosts;
    },
    withdraw(routes, reason) {
      for (const route of routes) {
        streams.closeRoute(route.key, reason);
        pool.closeRoute(route.key);
      }
    },
    stop(reason) {
      if (stopped) return;
      stopped = true;
      standing = { ...standing, running: false };
      until = LONG_AGO;
      surroundings.remove(instance);
      streams.closeAll(reason);
      pool.closeAll();
      closeIdle();
    },
    sweep(now) {
      pool.sweep(now);
      if (now < until) return;
      streams.closeAll('expired');
      pool.closeAll();
    },
    counters: () => ({
      requestCount,
      liveStreamCount: streams.liveCount(),
      connectionCount: connections.size,
      idleAppConnectionCount: pool.idleCount(),
      ...(lastError === undefined ? {} : { lastError }),
    }),
    admit: (asked, now) => admit(table, standing, asked, now, surroundings.servedHere),
    open(permit, carrier) {
      const opened = streams.open(permit, carrier);
      if (opened) requestCount += 1;
      return opened;
    },
    done: (route, carrier) => streams.done(route.key, carrier),
    until: () => until,
    // A release ends admission only: what is open lasts until the authority held ends.
    lapsedAt: (now) => refusalAt({ ...standing, released: false }, now),
    closing: () => standing.released || !standing.running,
    enter(connection) {
      if (connections.size >= limits.connectionsPerInstanceMax) return false;
      connections.add(connection);
      return true;
    },
    leave: (connection) => void connections.delete(connection),
    note(code, host, reason) {
      lastError = { code, host, reason, at: clock.now() };
    },
  };
  return instance;
}
