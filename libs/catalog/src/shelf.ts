import type { MemberId, SandboxId, WorkspaceId } from '@sallyport/model';
import type { Listing, OpenListing } from './listing.ts';
import { inScope, type Scope } from './scope.ts';

/** The listings, by everything that they are looked up by. */
export interface Shelf {
  readonly byId: ReadonlyMap<string, OpenListing>;
  byHost(host: string): Listing | undefined;
  ofSandbox(sandboxId: SandboxId): readonly OpenListing[];
  ofMember(memberId: MemberId): Iterable<SandboxId>;
  sandboxIds(): Iterable<SandboxId>;
  of(scope: Scope): Iterable<Listing>;
  add(listing: OpenListing): void;
  remove(listing: OpenListing): void;
}

export function createShelf(): Shelf {
  const byId = new Map<string, OpenListing>();
  const byHost = new Map<string, OpenListing>();
  const bySandbox = new Map<SandboxId, OpenListing[]>();
  const byMember = new Map<MemberId, Set<SandboxId>>();
  const byWorkspace = new Map<WorkspaceId, Map<string, OpenListing>>();

  /** Each by itself: iterating inside of an iteration is slow, and there are many. */
  function* ofEach(scope: Exclude<Scope, 'all'>): Iterable<Listing> {
    // Whichever is fewer: a scope may name thousands of workspaces that have nothing.
    if (scope.size > byWorkspace.size) {
      for (const [workspace, listings] of byWorkspace)
        if (inScope(scope, workspace)) for (const listing of listings.values()) yield listing;
    } else for (const workspace of scope) for (const listing of byWorkspace.get(workspace)?.values() ?? []) yield listing;
  }

  return {
    byId,
    byHost: (host) => byHost.get(host),
    ofSandbox: (sandboxId) => bySandbox.get(sandboxId) ?? [],
    ofMember: (memberId) => byMember.get(memberId) ?? [],
    sandboxIds: () => bySandbox.keys(),
    of: (scope) => (scope === 'all' ? byId.values() : ofEach(scope)),
    add(listing) {
      const { record, sandboxId, held } = listing;
      byId.set(record.recordId, listing);
      byHost.set(record.host, listing);
      bySandbox.set(sandboxId, [...(bySandbox.get(sandboxId) ?? []), listing]);
      const { memberId } = held.value;
      byMember.set(memberId, (byMember.get(memberId) ?? new Set<SandboxId>()).add(sandboxId));
      const neighbours = byWorkspace.get(record.workspace) ?? new Map<string, OpenListing>();
      byWorkspace.set(record.workspace, neighbours.set(record.recordId, listing));
    },
    remove(listing) {
      const { record, sandboxId, held } = listing;
      byId.delete(record.recordId);
      if (byHost.get(record.host) === listing) byHost.delete(record.host);
      const left = (bySandbox.get(sandboxId) ?? []).filter((each) => each !== listing);
      if (left.length > 0) bySandbox.set(sandboxId, left);
      else {
        bySandbox.delete(sandboxId);
        const sandboxes = byMember.get(held.value.memberId);
        sandboxes?.delete(sandboxId);
        if (sandboxes?.size === 0) byMember.delete(held.value.memberId);
      }
      const neighbours = byWorkspace.get(record.workspace);
      neighbours?.delete(record.recordId);
      if (neighbours?.size === 0) byWorkspace.delete(record.workspace);
    },
  };
}
