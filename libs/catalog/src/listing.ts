import type { Held, Installation } from '@sallyport/authority';
import type { Instant, SandboxId, WorkspaceId } from '@sallyport/model';
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

/** What readers of its workspace must be told of one record. */
export type Move = Moved & ({ readonly kind: 'shown' } | { readonly kind: 'gone'; readonly reason: TombstoneReason });

interface Moved {
  readonly recordId: string;
  readonly workspace: WorkspaceId;
  /** The store's doing, which every replica sees alike. False: a matter of this replica's own clock. */
  readonly lasting: boolean;
}
