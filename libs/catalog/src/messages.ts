import type { CatalogRecord, TombstoneReason } from './record.ts';

/** What goes over one watch, in the form of the rules: libs/wire turns it into protobuf and back. */

/** What a reader gets of a record; a server adds the URL on the way out. */
export type Readable = Pick<CatalogRecord, 'recordId' | 'workspace' | 'host' | 'renewedBy'>;

/** `ttlMs`: how much longer it may be used, counted from the sending of the Ping that the message names. */
export interface Timed<R> {
  readonly record: R;
  readonly ttlMs: number;
}

/** Records that are told together: the same array to all readers, where it can be. */
export type Page<R> = readonly Timed<R>[];

export interface Tombstone {
  readonly recordId: string;
  readonly reason: TombstoneReason;
}

export type WatchMessage<R extends Readable> =
  /** Parts are applied together, with the one that has a token; what a later part says of a record counts. */
  | {
      readonly kind: 'snapshot';
      readonly pages: readonly Page<R>[];
      /** Told in an earlier part, gone since. */
      readonly removed: readonly string[];
      /** Undefined: more parts follow. */
      readonly token: string | undefined;
    }
  /** As with a snapshot, the parts are applied together; but tombstones for a lost grant count at once, wherever they stand. */
  | {
      readonly kind: 'delta';
      readonly from: string;
      readonly to: string | undefined;
      readonly tombstones: readonly Tombstone[];
      readonly upserts: readonly Timed<R>[];
    }
  | {
      readonly kind: 'renew';
      /** Every record that is renewed by this gateway lives at least so long, but for those in `singles` of any part. */
      readonly floors: readonly { readonly renewedBy: string; readonly ttlMs: number }[];
      readonly singles: readonly { readonly recordId: string; readonly ttlMs: number }[];
      readonly isLast: boolean;
    }
  | { readonly kind: 'heartbeat'; readonly token: string; readonly lagMs: number; readonly hasAuthority: boolean }
  /**
   * What is held may be used until it runs out, or until the snapshot that follows is whole. `forget`: it may not, because
   * the reader may hold what it may see no more.
   */
  | { readonly kind: 'resync'; readonly reason: string; readonly forget: boolean };

/** Why a snapshot comes where deltas were to be expected. `scope`: what may be seen is not what it was. */
export type ResyncReason = 'too-slow' | 'token' | 'scope' | 'incomplete' | 'history';

/** One message, and the last Ping that had come when it was made; 0: none yet. */
export interface Sent<R extends Readable> {
  readonly pingId: bigint;
  readonly message: WatchMessage<R>;
}

/** In one message, but for the rest of its last page: about 40 KB. */
export const RECORDS_PER_MESSAGE_MAX = 200;
/** Names alone are shorter. */
export const NAMES_PER_MESSAGE_MAX = 1_000;
