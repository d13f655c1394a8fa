import type { StoreRevision, WorkspaceId } from '@sallyport/model';
import type { Move } from './listing.ts';
import type { TombstoneReason } from './record.ts';

/** One record that the store's changes touched; what it is now, the catalog says. */
export interface Touched {
  readonly recordId: string;
  readonly workspace: WorkspaceId;
  /** Why it was gone then. Undefined: it was shown. */
  readonly reason: TombstoneReason | undefined;
}

/** Which records moved at which revision, as far back as there is room for: what a reader missed who comes back. */
export interface History {
  /** The store's doing at this revision. Each is noted by itself: a record may come and go within two of them. */
  note(revision: StoreRevision, moves: readonly Move[]): void;
  /** What was before is not known: the store was listed anew, and what came and went meanwhile was not seen. */
  restart(revision: StoreRevision): void;
  /** Everything touched after `revision`, in order; the same record may come again. Undefined: it does not reach back so far. */
  since(revision: StoreRevision): readonly Touched[] | undefined;
  readonly size: number;
}

/** Moves that are kept: a few minutes of a busy installation, or one takeover of all that a large one has. */
export const HISTORY_MAX = 50_000;

/** Reaches nowhere before its first `restart`. */
export function createHistory(max: number = HISTORY_MAX): History {
  let entries: (Touched & { readonly revision: StoreRevision })[] = [];
  /** Everything after this revision is in `entries`. */
  let reaches: StoreRevision | undefined;

  return {
    note(revision, moves) {
      for (const move of moves) {
        if (!move.lasting) continue;
        const { recordId, workspace } = move;
        entries.push({ revision, recordId, workspace, reason: move.kind === 'gone' ? move.reason : undefined });
      }
      // Twice the room and then half of it: cutting one off at each change would copy all of it each time.
      if (entries.length <= 2 * max) return;
      const dropped = entries.at(-max - 1);
      entries = entries.slice(-max);
      if (dropped !== undefined) reaches = dropped.revision;
    },
    restart(revision) {
      entries = [];
      reaches = revision;
    },
    since(revision) {
      if (reaches === undefined || revision < reaches) return undefined;
      let from = entries.length;
      while (from > 0 && (entries[from - 1]?.revision ?? 0n) > revision) from -= 1;
      return entries.slice(from);
    },
    get size() {
      return entries.length;
    },
  };
}
