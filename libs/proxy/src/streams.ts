import type { Permit, RouteKey } from '@sallyport/routes';

/** What ends live traffic from outside. */
export type CloseReason = 'withdrawn' | 'expired' | 'stopped' | 'drained';

/** Whoever carries a live exchange or tunnel. */
export interface Carrier {
  /**
   * Ends it: not one byte more in either direction. An exchange is reset, so that its client cannot take what it has for
   * the whole; the sockets of a tunnel are closed. The client is cut within this call. What is returned lets go of the
   * application and of the registry, and is called in the same turn: with a thousand to end, none of their clients
   * should wait for the tidying behind the others.
   */
  revoke(reason: CloseReason): () => void;
}

/**
 * The one registry of what is live in an instance, by route: plain exchanges and tunnels alike. An exchange enters it in
 * the same turn in which it was admitted, before anything is dialled, so that no withdrawal can fall between.
 */
export interface Streams {
  /** False at the route's limit. Needs the permit: nothing is carried that was not admitted. */
  open(permit: Permit, carrier: Carrier): boolean;
  done(key: RouteKey, carrier: Carrier): void;
  closeRoute(key: RouteKey, reason: CloseReason): void;
  closeAll(reason: CloseReason): void;
  liveCount(): number;
}

export function createStreams(perRouteMax: number): Streams {
  const live = new Map<RouteKey, Set<Carrier>>();
  let count = 0;

  function close(carriers: Iterable<Carrier>, reason: CloseReason): void {
    // A copy: one that is only dialling removes itself while we walk, and its connection may go on to another.
    const lettingGo = [...carriers].map((carrier) => carrier.revoke(reason));
    for (const letGo of lettingGo) letGo();
  }

  return {
    open({ route }, carrier) {
      let carriers = live.get(route.key);
      if (carriers === undefined) {
        carriers = new Set();
        live.set(route.key, carriers);
      }
      if (carriers.size >= perRouteMax) return false;
      carriers.add(carrier);
      count += 1;
      return true;
    },
    done(key, carrier) {
      const carriers = live.get(key);
      if (carriers?.delete(carrier) === true) count -= 1;
      if (carriers?.size === 0) live.delete(key);
    },
    closeRoute: (key, reason) => close(live.get(key) ?? [], reason),
    closeAll: (reason) =>
      close(
        [...live.values()].flatMap((carriers) => [...carriers]),
        reason,
      ),
    liveCount: () => count,
  };
}
