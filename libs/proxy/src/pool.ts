import { type Instant, later, ok, type Result } from '@sallyport/model';
import type { Route, RouteKey } from '@sallyport/routes';
import { type AppConnection, createAppConnection } from './app-connection.ts';
import type { Clock } from './clock.ts';
import type { Connector, DialFailure } from './connector.ts';
import { codecLimits, type Limits } from './limits.ts';

/** Idle connections to the application, by route generation: none is ever shared between routes, nor outlives its route. */
export interface AppPool {
  /** The connection that was used last, the least likely to be dying; undefined if none waits. */
  take(key: RouteKey): AppConnection | undefined;
  dial(route: Route, signal: AbortSignal): Promise<Result<AppConnection, DialFailure>>;
  /** Gives back a connection whose answer was whole and which the application keeps open. Nobody uses it any more. */
  give(connection: AppConnection): void;
  closeRoute(key: RouteKey): void;
  closeAll(): void;
  /** Closes what has waited too long. */
  sweep(now: Instant): void;
  idleCount(): number;
}

export interface AppPoolOptions {
  readonly connector: Connector;
  readonly limits: Limits;
  readonly clock: Clock;
}

export function createAppPool({ connector, limits, clock }: AppPoolOptions): AppPool {
  const idle = new Map<RouteKey, AppConnection[]>();
  const codec = codecLimits(limits);
  let count = 0;

  function discard(connection: AppConnection): void {
    const waiting = idle.get(connection.key);
    const index = waiting?.indexOf(connection) ?? -1;
    if (waiting !== undefined && index >= 0) {
      waiting.splice(index, 1);
      count -= 1;
      if (waiting.length === 0) idle.delete(connection.key);
    }
    connection.socket.destroy();
  }

  function closeRoute(key: RouteKey): void {
    const waiting = idle.get(key) ?? [];
    idle.delete(key);
    count -= waiting.length;
    for (const connection of waiting) connection.socket.destroy();
  }

  return {
    take(key) {
      const waiting = idle.get(key);
      for (let connection = waiting?.pop(); connection !== undefined; connection = waiting?.pop()) {
        count -= 1;
        connection.reused = true;
        // It may be dying, its events not yet told.
        if (connection.socket.writable && connection.socket.readable) return connection;
        connection.socket.destroy();
      }
      return undefined;
    },
    async dial(route, signal) {
      const dialled = await connector.dial(route.port, signal);
      return dialled.ok ? ok(createAppConnection(route.key, dialled.value, codec, discard)) : dialled;
    },
    give(connection) {
      connection.user = undefined;
      let waiting = idle.get(connection.key);
      if (waiting === undefined) {
        waiting = [];
        idle.set(connection.key, waiting);
      }
      if (waiting.length >= limits.idleAppConnectionsMax) {
        connection.socket.destroy();
        return;
      }
      connection.idleUntil = later(clock.now(), limits.appIdleMs);
      waiting.push(connection);
      count += 1;
    },
    closeRoute,
    closeAll() {
      for (const key of [...idle.keys()]) closeRoute(key);
    },
    sweep(now) {
      for (const waiting of [...idle.values()]) {
        // The one that has waited longest stands first.
        for (let first = waiting[0]; first !== undefined && now >= first.idleUntil; first = waiting[0]) discard(first);
      }
    },
    idleCount: () => count,
  };
}
