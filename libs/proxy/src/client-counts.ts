/** How much each client address has open, so that one of them cannot take what is there for all. */
export interface ClientCounts {
  /** False at the limit: nothing was counted. */
  enter(address: string): boolean;
  leave(address: string): void;
  /** Addresses with something open. */
  readonly size: number;
}

export function createClientCounts(perClientMax: number): ClientCounts {
  const open = new Map<string, number>();
  return {
    enter(address) {
      const count = open.get(address) ?? 0;
      if (count >= perClientMax) return false;
      open.set(address, count + 1);
      return true;
    },
    leave(address) {
      const count = open.get(address) ?? 0;
      if (count > 1) open.set(address, count - 1);
      else open.delete(address);
    },
    get size() {
      return open.size;
    },
  };
}
