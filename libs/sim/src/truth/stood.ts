import type { RecordChange, World } from '@sallyport/authority';
import { type CatalogRecord, judgeFence, recordOf } from '@sallyport/catalog';
import type { MemberId, SandboxId, StoreRevision, WorkspaceId } from '@sallyport/model';
import { PRINCIPAL } from '../nodes/consumer-node.ts';

/** What truly stood on record, and until when: installations by their revision, records of discovery by all that they say. */
export interface Stood {
  changed(changes: readonly RecordChange[]): void;
  /** Since when it is not the truth any more. */
  endedAt(sandboxId: SandboxId, revision: StoreRevision): number | undefined;
  /** Undefined: it never was. */
  record(record: CatalogRecord): { readonly by: MemberId; readonly endedAt: number | undefined } | undefined;
  /** Since when the consumers may not see it; undefined while they may. */
  ungrantedSince(workspace: WorkspaceId): number | undefined;
}

interface Standing {
  readonly by: MemberId;
  endedAt: number | undefined;
}

export function watchStood(world: World, now: () => number): Stood {
  const ended = new Map<string, number>();
  const current = new Map<SandboxId, StoreRevision>();
  const records = new Map<string, Standing>();
  const standing = new Map<SandboxId, readonly Standing[]>();
  let granted: ReadonlySet<WorkspaceId> = new Set();
  const ungranted = new Map<WorkspaceId, number>();

  function judge(sandboxId: SandboxId): void {
    const held = world.installations.get(sandboxId);
    const before = current.get(sandboxId);
    if (before !== undefined && before !== held?.modRevision) end(sandboxId, before);
    for (const each of standing.get(sandboxId) ?? []) each.endedAt ??= now();
    standing.delete(sandboxId);
    if (held === undefined) return void current.delete(sandboxId);
    current.set(sandboxId, held.modRevision);
    const judged = judgeFence(world, sandboxId);
    if (!judged.ok) return end(sandboxId, held.modRevision);
    const { installation } = judged.value;
    const all = installation.routes.map((route) => {
      const key = keyOf(recordOf(sandboxId, judged.value, route));
      const known = records.get(key) ?? { by: installation.memberId, endedAt: undefined };
      known.endedAt = undefined;
      records.set(key, known);
      return known;
    });
    standing.set(sandboxId, all);
  }

  function end(sandboxId: SandboxId, revision: StoreRevision): void {
    const key = `${sandboxId}@${revision}`;
    if (!ended.has(key)) ended.set(key, now());
  }

  function regrant(): void {
    const next = new Set(world.grants.get(PRINCIPAL)?.value.workspaces ?? []);
    for (const workspace of granted) if (!next.has(workspace)) ungranted.set(workspace, now());
    for (const workspace of next) ungranted.delete(workspace);
    granted = next;
  }

  return {
    changed(changes) {
      let isAbout = false;
      for (const { key } of changes) {
        if (key.kind === 'grant') regrant();
        // Most of what is written moves nothing of this.
        if (key.kind !== 'renewal' && key.kind !== 'reader') isAbout = true;
      }
      if (isAbout) for (const sandboxId of new Set([...current.keys(), ...world.installations.keys()])) judge(sandboxId);
    },
    endedAt: (sandboxId, revision) => ended.get(`${sandboxId}@${revision}`),
    record: (record) => records.get(keyOf(record)),
    ungrantedSince: (workspace) => ungranted.get(workspace),
  };
}

const keyOf = ({ recordId, host, endpoint, ownerEpoch, configRevision, renewedBy }: CatalogRecord): string =>
  `${recordId} ${host} ${endpoint.address} ${endpoint.podUid} ${ownerEpoch} ${configRevision} ${renewedBy}`;
