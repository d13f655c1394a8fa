import type { WorkspaceId } from '@sallyport/model';
import type { Move } from './listing.ts';
import type { TombstoneReason } from './record.ts';
import { inScope, type Scope } from './scope.ts';

/** What one reader has yet to be told: by record, and the newest wins, so it grows with the records and not with the changes. */
export interface Backlog {
  note(move: Pick<Move, 'recordId' | 'workspace'> & { readonly reason: TombstoneReason | undefined }): void;
  /** The next so many, oldest first; they are taken out. */
  take(max: number): readonly Waiting[];
  /** Everything of workspaces that are out of scope now; it is taken out. */
  takeOutside(scope: Scope): readonly string[];
  clear(): void;
  has(recordId: string): boolean;
  readonly size: number;
  /** About as many as its messages would have. */
  readonly bytes: number;
}

export interface Waiting {
  readonly recordId: string;
  readonly workspace: WorkspaceId;
  /** Undefined: it is shown; what it says is looked up when it is told. */
  readonly reason: TombstoneReason | undefined;
}

/** Of one record in a message, beside its id. */
const UPSERT_BYTES = 250;
const TOMBSTONE_BYTES = 8;

export function createBacklog(): Backlog {
  const waiting = new Map<string, Waiting>();
  let bytes = 0;

  const weigh = ({ recordId, reason }: Waiting): number =>
    recordId.length + (reason === undefined ? UPSERT_BYTES : TOMBSTONE_BYTES);

  function drop(recordId: string): void {
    const before = waiting.get(recordId);
    if (before === undefined) return;
    waiting.delete(recordId);
    bytes -= weigh(before);
  }

  return {
    note({ recordId, workspace, reason }) {
      drop(recordId);
      const next = { recordId, workspace, reason };
      waiting.set(recordId, next);
      bytes += weigh(next);
    },
    take(max) {
      const taken: Waiting[] = [];
      for (const next of waiting.values()) {
        if (taken.length >= max) break;
        taken.push(next);
      }
      for (const { recordId } of taken) drop(recordId);
      return taken;
    },
    takeOutside(scope) {
      const outside = [...waiting.values()].filter(({ workspace }) => !inScope(scope, workspace)).map(({ recordId }) => recordId);
      for (const recordId of outside) drop(recordId);
      return outside;
    },
    clear() {
      waiting.clear();
      bytes = 0;
    },
    has: (recordId) => waiting.has(recordId),
    get size() {
      return waiting.size;
    },
    get bytes() {
      return bytes;
    },
  };
}
