import type { MemberId, SandboxId } from '@sallyport/model';
import type { Listing, OpenListing } from './listing.ts';
import type { ListingPage } from './page.ts';
import { createPages } from './pages.ts';
import type { Scope } from './scope.ts';

/** The listings, by everything that they are looked up by. */
export interface Shelf {
  readonly byId: ReadonlyMap<string, OpenListing>;
  byHost(host: string): Listing | undefined;
  ofSandbox(sandboxId: SandboxId): readonly OpenListing[];
  ofMember(memberId: MemberId): Iterable<SandboxId>;
  sandboxIds(): Iterable<SandboxId>;
  of(scope: Scope): Iterable<Listing>;
  pagesOf(scope: Scope): Iterable<ListingPage>;
  add(listing: OpenListing): void;
  remove(listing: OpenListing): void;
  /** What is shown of it has changed. */
  touch(listing: OpenListing): void;
}

export function createShelf(recordsPerPage: number): Shelf {
  const byId = new Map<string, OpenListing>();
  const byHost = new Map<string, OpenListing>();
  const bySandbox = new Map<SandboxId, OpenListing[]>();
  const byMember = new Map<MemberId, Set<SandboxId>>();
  const pages = createPages(recordsPerPage);

  function* ofEach(scope: Scope): Iterable<Listing> {
    // Each by itself: iterating inside of an iteration is slow, and there are many.
    for (const { listings } of pages.of(scope)) for (const listing of listings) yield listing;
  }

  return {
    byId,
    byHost: (host) => byHost.get(host),
    ofSandbox: (sandboxId) => bySandbox.get(sandboxId) ?? [],
    ofMember: (memberId) => byMember.get(memberId) ?? [],
    sandboxIds: () => bySandbox.keys(),
    of: (scope) => (scope === 'all' ? byId.values() : ofEach(scope)),
    pagesOf: (scope) => pages.of(scope),
    touch: (listing) => pages.touch(listing),
    add(listing) {
      const { record, sandboxId, held } = listing;
      byId.set(record.recordId, listing);
      byHost.set(record.host, listing);
      bySandbox.set(sandboxId, [...(bySandbox.get(sandboxId) ?? []), listing]);
      const { memberId } = held.value;
      byMember.set(memberId, (byMember.get(memberId) ?? new Set<SandboxId>()).add(sandboxId));
      pages.add(listing);
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
      pages.remove(listing);
    },
  };
}
