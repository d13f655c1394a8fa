import type { StoreRevision } from '@sallyport/model';
import type { Change, Guard, Store } from '@sallyport/store';
import type { Membership } from './membership.ts';
import { createPlaces } from './places.ts';

/** What became of a guarded write. */
export type Written =
  | { readonly kind: 'committed'; readonly revision: StoreRevision }
  /** Something it relied on has moved, by `revision`: look again from there. `failed` are keys. */
  | { readonly kind: 'refused'; readonly revision: StoreRevision; readonly failed: readonly string[] }
  /** This replica may not write now. */
  | { readonly kind: 'no-authority' }
  /** Not to be found out within reason; whoever relies on it must look at the record before going on. */
  | { readonly kind: 'unknown'; readonly message: string };

export interface Writing {
  readonly guards: readonly Guard[];
  /** Each value is made with the id of this very operation, by which an unknown outcome is settled. */
  readonly puts: readonly { readonly key: string; readonly value: (opId: string) => Uint8Array }[];
  readonly deletes?: readonly string[];
  /** Does not wait its turn: what leases and the view's age hang on. */
  readonly urgent?: boolean;
}

/** Every write of this gateway: each compares the gateway's own key, so that a lapsed replica can write nothing. */
export interface Writer {
  write(writing: Writing): Promise<Written>;
}

export interface WriterOptions {
  readonly store: Store;
  readonly membership: Membership;
  readonly randomId: () => string;
  /** Reads the operation's id out of a stored value. */
  readonly opIdOf: (key: string, value: Uint8Array) => string | undefined;
}

/** Reads that settle an unknown outcome before it is given up; each has the store's own deadline. */
const SETTLE_TRIES_MAX = 5;
/** Commits under way at once. A fleet that comes in one moment would else time them all out, and each would then be read. */
const COMMITS_MAX = 128;

export function createWriter({ store, membership, randomId, opIdOf }: WriterOptions): Writer {
  const places = createPlaces(COMMITS_MAX);

  const write = (writing: Writing): Promise<Written> =>
    writing.urgent === true ? commit(writing) : places.run(() => commit(writing));

  async function commit({ guards, puts, deletes = [] }: Writing): Promise<Written> {
    const own = membership.guard();
    if (own === undefined) return { kind: 'no-authority' };
    const opId = randomId();
    const all = [own, ...guards];
    const changes: Change[] = [
      ...puts.map(({ key, value }) => ({ kind: 'put' as const, key, value: value(opId) })),
      ...deletes.map((key) => ({ kind: 'delete' as const, key })),
    ];
    const outcome = await store.commit({ guards: all, changes });
    switch (outcome.kind) {
      case 'committed':
        return outcome;
      case 'refused':
        if (outcome.failed.includes(0)) membership.doubt(own.key);
        return { kind: 'refused', revision: outcome.revision, failed: outcome.failed.map((index) => all[index]?.key ?? '') };
      case 'unknown':
        return settle(opId, puts[0]?.key, outcome.message);
    }
  }

  /**
   * Never assumed failed, never blindly repeated: one of the keys tells. A transaction that is still under way may commit
   * after we have read; but it was not committed as of the read, and its guards hold only while nothing of it moved, so
   * the caller who looks at the record again and writes on it makes the late one fail.
   */
  async function settle(opId: string, key: string | undefined, message: string): Promise<Written> {
    for (let attempt = 0; key !== undefined && attempt < SETTLE_TRIES_MAX; attempt += 1) {
      const read = await store.get(key);
      if (read.kind === 'unavailable') continue;
      if (read.value !== undefined && opIdOf(key, read.value.value) === opId)
        return { kind: 'committed', revision: read.value.modRevision };
      return { kind: 'refused', revision: read.revision, failed: [key] };
    }
    return { kind: 'unknown', message };
  }

  return { write };
}
