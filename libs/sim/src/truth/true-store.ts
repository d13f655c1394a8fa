import { createWorld, type RecordChange, type World } from '@sallyport/authority';
import type { StoreRevision } from '@sallyport/model';
import { ROOT, type Store, type StoreEntry } from '@sallyport/store';
import { decodeEvent } from '@sallyport/view';

/** The store as it is, at every instant, without a network between. */
export interface TrueStore {
  readonly world: World;
  /** Everything under `prefix` at a revision not long past; undefined when that is forgotten. */
  entriesAt(revision: StoreRevision, prefix: string): readonly StoreEntry[] | undefined;
  /** After each revision. */
  onChange(listener: (changes: readonly RecordChange[], revision: StoreRevision) => void): void;
}

/** Revisions that can be undone. */
const UNDO_MAX = 64;

interface Undo {
  readonly revision: StoreRevision;
  readonly before: ReadonlyMap<string, StoreEntry | undefined>;
}

export function followTruth(store: Store): TrueStore {
  const world = createWorld();
  const entries = new Map<string, StoreEntry>();
  const listeners: ((changes: readonly RecordChange[], revision: StoreRevision) => void)[] = [];
  let undos: Undo[] = [];

  store.watch(ROOT, 2n as StoreRevision, {
    changed(events, revision) {
      const before = new Map<string, StoreEntry | undefined>();
      const changes: RecordChange[] = [];
      for (const event of events) {
        const key = event.kind === 'put' ? event.entry.key : event.key;
        before.set(key, entries.get(key));
        if (event.kind === 'put') entries.set(key, event.entry);
        else entries.delete(key);
        const decoded = decodeEvent(event);
        if (decoded?.problem !== undefined) throw new Error(`a record that cannot be read was written: ${decoded.problem}`);
        if (decoded !== undefined) changes.push(decoded.change);
      }
      undos.push({ revision, before });
      if (undos.length > 2 * UNDO_MAX) undos = undos.slice(-UNDO_MAX);
      world.apply(changes, revision);
      for (const listener of listeners) listener(changes, revision);
    },
    lost() {
      throw new Error('the truth cannot lose its watch');
    },
  });

  return {
    world,
    entriesAt(revision, prefix) {
      const oldest = undos[0];
      if (oldest === undefined || revision < oldest.revision) return undefined;
      const then = new Map(entries);
      for (const undo of undos.toReversed()) {
        if (undo.revision <= revision) break;
        for (const [key, entry] of undo.before) {
          if (entry === undefined) then.delete(key);
          else then.set(key, entry);
        }
      }
      return [...then.values()].filter(({ key }) => key.startsWith(prefix)).sort((a, b) => (a.key < b.key ? -1 : 1));
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
