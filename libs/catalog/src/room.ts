import type { Readable } from './messages.ts';

/** How much a follower holds at most. A discovery that is broken, or a grant that is wider than was meant, must not take its memory. */
export interface FollowerLimits {
  readonly recordsMax: number;
  /** Of them together, as {@link bytesOf} counts. */
  readonly bytesMax: number;
}

export const FOLLOWER_LIMITS: FollowerLimits = { recordsMax: 100_000, bytesMax: 128 * 1_048_576 };

/** A record without its text: the object, its numbers and its address, and the places in two maps. */
const FIXED_BYTES = 512;

/** What one record takes in memory, round about. */
export function bytesOf(record: Readable): number {
  let bytes = FIXED_BYTES;
  for (const value of Object.values(record)) if (typeof value === 'string') bytes += value.length;
  return bytes;
}

/** Counts what is held against the limits. */
export interface Room {
  /** False: it does not fit, and nothing was counted. */
  take(record: Readable): boolean;
  give(record: Readable): void;
}

export function createRoom({ recordsMax, bytesMax }: FollowerLimits): Room {
  let records = 0;
  let bytes = 0;
  return {
    take(record) {
      const more = bytesOf(record);
      if (records + 1 > recordsMax || bytes + more > bytesMax) return false;
      records += 1;
      bytes += more;
      return true;
    },
    give(record) {
      records -= 1;
      bytes -= bytesOf(record);
    },
  };
}
