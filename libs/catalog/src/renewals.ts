import { CHALLENGE_EVERY_MS, VECTOR_RETRY_MS } from '@sallyport/authority';
import { type Instant, LONG_AGO, NEVER, type WorkspaceId } from '@sallyport/model';
import type { Listing } from './listing.ts';

/**
 * How long all shown records live, in a few numbers: records of one gateway are renewed together, so each gateway has one
 * floor, and only the records that end before it are named. Ten thousand renewals are one message of a hundred bytes.
 */
export interface RenewalDigest {
  /** By `renewedBy`: every shown record of it lives at least so long, but for those below. */
  readonly floors: ReadonlyMap<string, Instant>;
  /** The shown records that end before the floor of their gateway. */
  readonly below: ReadonlyMap<string, Below>;
}

export interface Below {
  readonly workspace: WorkspaceId;
  readonly until: Instant;
}

/** Kept up while records come and go, so that no floor ever promises what a record does not have. */
export interface Renewals {
  readonly digest: RenewalDigest;
  /** All anew, after evidence has come in. */
  count(listings: Iterable<Listing>): void;
  came(listing: Listing): void;
  went(recordId: string): void;
}

/**
 * What a gateway renews ends within this of each other: it spreads its vectors over one beat, and one may have been tried
 * again. A record further behind missed its turn. With less, half the records of a large gateway would be named to every
 * reader each second. Milliseconds.
 */
const BEAT_SPREAD_MS = CHALLENGE_EVERY_MS + VECTOR_RETRY_MS;

export function createRenewals(): Renewals {
  let floors = new Map<string, Instant>();
  let below = new Map<string, Below>();

  function came({ record, until }: Listing): void {
    if (until < (floors.get(record.renewedBy) ?? NEVER)) below.set(record.recordId, { workspace: record.workspace, until });
    else below.delete(record.recordId);
  }

  return {
    get digest() {
      return { floors, below };
    },
    count(listings) {
      const shown = [...listings].filter((listing) => listing.shown);
      const newest = new Map<string, Instant>();
      for (const { record, until } of shown) {
        if (until > (newest.get(record.renewedBy) ?? LONG_AGO)) newest.set(record.renewedBy, until);
      }
      floors = new Map();
      below = new Map();
      for (const { record, until } of shown) {
        const isOfBeat = until >= (newest.get(record.renewedBy) ?? LONG_AGO) - BEAT_SPREAD_MS;
        if (isOfBeat && until < (floors.get(record.renewedBy) ?? NEVER)) floors.set(record.renewedBy, until);
      }
      for (const listing of shown) came(listing);
    },
    came,
    went: (recordId) => void below.delete(recordId),
  };
}
