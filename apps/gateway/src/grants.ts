import type { Grant, World } from '@sallyport/authority';
import { err, type Failure, failure, ok, type Result, type StoreRevision, type WorkspaceId } from '@sallyport/model';
import { grantKey } from '@sallyport/store';
import { encodeGrant } from '@sallyport/wire';
import type { Writer } from './writer.ts';

/** What each reader of discovery may see. */
export interface Grants {
  /** Replaces what was granted before; no workspaces take the grant back. */
  set(principal: string, workspaces: readonly WorkspaceId[]): Promise<Result<Grant, Failure>>;
  list(): readonly (Grant & { readonly principal: string })[];
}

export interface GrantsOptions {
  readonly world: World;
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
}

/** Two admins at once: the loser looks again. */
const TRIES_MAX = 5;

export function createGrants({ world, reached, writer }: GrantsOptions): Grants {
  return {
    async set(principal, workspaces) {
      const key = grantKey(principal);
      const wanted = [...new Set(workspaces)].sort();
      for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
        const present = world.grants.get(principal);
        if (present !== undefined && sameNames(present.value.workspaces, wanted)) return ok(present.value);
        // An empty grant is kept, not deleted: its epoch must rise, also when the grant comes back.
        const grant: Grant = { workspaces: wanted, grantEpoch: (present?.value.grantEpoch ?? 0n) + 1n };
        const written = await writer.write({
          guards: [present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision }],
          puts: [{ key, value: (opId) => encodeGrant(grant, opId) }],
        });
        if (written.kind === 'no-authority' || written.kind === 'unknown')
          return err(failure('not-ready', 'the store does not answer; the grant may or may not have been changed'));
        await reached(written.revision);
        if (written.kind === 'committed') return ok(grant);
      }
      return err(failure('conflict', 'the grant is changed by others all the time; try again'));
    },
    list: () =>
      [...world.grants]
        .map(([principal, { value }]) => ({ principal, ...value }))
        .sort((a, b) => (a.principal < b.principal ? -1 : 1)),
  };
}

const sameNames = (a: readonly string[], sorted: readonly string[]): boolean =>
  a.length === sorted.length && [...a].sort().every((name, index) => name === sorted[index]);
