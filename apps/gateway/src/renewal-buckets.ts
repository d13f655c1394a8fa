import type { LiveSession } from './sessions.ts';

/** Sandboxes in one vector: a record of about 60 KB. */
export const BUCKET_SESSIONS_MAX = 1_000;

/**
 * Which session rides in which vector. A session stays where it is, so that its challenges come at even times, and moves only
 * when its bucket is given up because fewer will do.
 */
export interface RenewalBuckets {
  /** As many as are needed now, at least one. */
  plan(): number;
  /** The live sessions of a bucket, and those without a place as far as there is room. */
  of(bucket: number): readonly LiveSession[];
}

/** `changeCount` rises whenever a session opens or ends: while it stands, nobody has to be looked for among all of them. */
export function createRenewalBuckets(all: () => Iterable<LiveSession>, changeCount: () => number): RenewalBuckets {
  const buckets: Set<LiveSession>[] = [];
  const placed = new Map<LiveSession, number>();
  /** When everybody had a place. */
  let settledAt: number | undefined;

  function forgetEnded(live: ReadonlySet<LiveSession>): void {
    for (const [session, bucket] of placed) {
      if (live.has(session)) continue;
      placed.delete(session);
      buckets[bucket]?.delete(session);
    }
  }

  return {
    plan() {
      if (settledAt === changeCount()) return buckets.length;
      const live = new Set(all());
      forgetEnded(live);
      const needed = Math.max(1, Math.ceil(live.size / BUCKET_SESSIONS_MAX));
      while (buckets.length < needed) buckets.push(new Set());
      for (const given of buckets.splice(needed)) for (const session of given) placed.delete(session);
      return needed;
    },
    of(bucket) {
      const mine = buckets[bucket];
      if (mine === undefined) return [];
      if (settledAt === changeCount()) return [...mine];
      const live = new Set(all());
      forgetEnded(live);
      for (const session of live) {
        if (mine.size >= BUCKET_SESSIONS_MAX) break;
        if (placed.has(session)) continue;
        placed.set(session, bucket);
        mine.add(session);
      }
      settledAt = placed.size === live.size ? changeCount() : undefined;
      return [...mine];
    },
  };
}
