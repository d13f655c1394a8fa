/** Pieces of memory in which an upload gathers. They go round: memory made anew for each is what a collector of garbage dies of. */
export interface Slabs {
  /** `SLAB_BYTES` long; what is in it is from before. */
  take(): Buffer;
  /** Nobody reads it any more, the system included. */
  give(slab: Buffer): void;
}

export const SLAB_BYTES = 64 * 1_024;
/** Kept for the next; what is given besides is left to the collector. Together 2 MiB. */
const SPARE_COUNT_MAX = 32;

export function createSlabs(): Slabs {
  const spare: Buffer[] = [];
  return {
    take: () => spare.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES),
    give(slab) {
      if (spare.length < SPARE_COUNT_MAX) spare.push(slab);
    },
  };
}
