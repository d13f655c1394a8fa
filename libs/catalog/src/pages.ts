import type { WorkspaceId } from '@sallyport/model';
import type { OpenListing } from './listing.ts';
import { createListingPage, type ListingPage } from './page.ts';
import { inScope, type Scope } from './scope.ts';

/** All listings, by workspace and in pages: whoever sees a workspace sees its pages whole. */
export interface Pages {
  of(scope: Scope): Iterable<ListingPage>;
  add(listing: OpenListing): void;
  remove(listing: OpenListing): void;
  /** Whether it is shown has changed. */
  touch(listing: OpenListing): void;
}

export function createPages(recordsPerPage: number): Pages {
  const byWorkspace = new Map<WorkspaceId, Set<ListingPage>>();
  /** Those of a workspace that have room: they are filled up, or pages would come to hold one listing each. */
  const withRoom = new Map<WorkspaceId, Set<ListingPage>>();
  const pageOf = new Map<OpenListing, ListingPage>();

  function roomIn(workspace: WorkspaceId): ListingPage {
    for (const page of withRoom.get(workspace) ?? []) return page;
    const page = createListingPage();
    put(byWorkspace, workspace, page);
    put(withRoom, workspace, page);
    return page;
  }

  return {
    *of(scope) {
      // Whichever is fewer: a scope may name thousands of workspaces that have nothing.
      if (scope === 'all' || scope.size > byWorkspace.size) {
        for (const [workspace, pages] of byWorkspace) if (inScope(scope, workspace)) yield* pages;
      } else for (const workspace of scope) yield* byWorkspace.get(workspace) ?? [];
    },
    add(listing) {
      const { workspace } = listing.record;
      const page = roomIn(workspace);
      page.add(listing);
      pageOf.set(listing, page);
      if (page.listings.size >= recordsPerPage) take(withRoom, workspace, page);
    },
    remove(listing) {
      const page = pageOf.get(listing);
      if (page === undefined) return;
      const { workspace } = listing.record;
      page.remove(listing);
      pageOf.delete(listing);
      if (page.listings.size > 0) return put(withRoom, workspace, page);
      take(byWorkspace, workspace, page);
      take(withRoom, workspace, page);
    },
    touch: (listing) => pageOf.get(listing)?.touch(),
  };
}

function put<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  sets.set(key, (sets.get(key) ?? new Set<V>()).add(value));
}

function take<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
