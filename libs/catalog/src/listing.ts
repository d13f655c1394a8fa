import type { Held, Installation } from '@sallyport/authority';
import type { Instant, SandboxId, WorkspaceId } from '@sallyport/model';
import { shownUntil } from './eligibility.ts';
import type { Evidence } from './evidence.ts';
import type { CatalogRecord, TombstoneReason } from './record.ts';

/** One record whose fence stands, with what it rests on. It is shown while `until` is ahead. */
export interface Listing {
  readonly record: CatalogRecord;
  readonly sandboxId: SandboxId;
  readonly held: Held<Installation>;
  /** Whose evidence keeps it. */
  readonly sessionKey: string;
  readonly until: Instant;
  /** Whether readers have it: as of the last look at time, not of now. */
  readonly shown: boolean;
}

/** What may change of one while its record stands. */
export interface OpenListing extends Listing {
  until: Instant;
  shown: boolean;
}

/** Evidence may have come in since the last look at time. */
export const currentUntil = (listing: Listing, evidence: Evidence): Instant =>
  Math.max(listing.until, shownUntil(evidence.untilOf(listing.sessionKey))) as Instant;

/**
 * What is left of it for a reader whose life counts from `from`. One that has run out since the last look at time is told with
 * nothing left, so that what the reader has is exactly what the catalog counts as shown.
 */
export const ttlMsOf = (listing: Listing, evidence: Evidence, from: Instant): number =>
  Math.max(0, Math.floor(currentUntil(listing, evidence) - from));

/** What readers of its workspace must be told of one record. */
export type Move = Moved & ({ readonly kind: 'shown' } | { readonly kind: 'gone'; readonly reason: TombstoneReason });

interface Moved {
  readonly recordId: string;
  readonly workspace: WorkspaceId;
  /** The store's doing, which every replica sees alike. False: a matter of this replica's own clock. */
  readonly lasting: boolean;
}
