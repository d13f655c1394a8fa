import type { RecordChange, World } from '@sallyport/authority';
import { type Host, type Instant, NEVER, type SandboxId, type WorkspaceId } from '@sallyport/model';
import { judgeFence, shownUntil } from './eligibility.ts';
import { type Evidence, sessionKeyOf } from './evidence.ts';
import { currentUntil, type Listing, type Move, type OpenListing } from './listing.ts';
import { type ListingPage, RECORDS_PER_PAGE_MAX } from './page.ts';
import { reasonOf } from './reason.ts';
import { type DiscoveryRecord, recordIdOf, recordOf } from './record.ts';
import { createRenewals, type RenewalDigest } from './renewals.ts';
import { inScope, type Scope, type Sees } from './scope.ts';
import { createShelf } from './shelf.ts';

/**
 * What discovery shows, kept up piece by piece as records change and time passes. Its set of listings is a function of the
 * store's records alone, so that every replica has the same at the same revision; which of them are shown now is a matter
 * of the evidence, which each replica counts on its own clock.
 */
export interface Catalog {
  /** After the world has applied these changes and the evidence was told of them. */
  changed(changes: readonly RecordChange[], now: Instant): readonly Move[];
  /** After time has passed, or evidence has come in. `renewed`: lives have become longer. */
  passed(now: Instant): { readonly moves: readonly Move[]; readonly renewed: boolean };
  listing(recordId: string): Listing | undefined;
  listingsOf(scope: Scope): Iterable<Listing>;
  /** The same, as snapshots tell them. */
  pagesOf(scope: Scope): Iterable<ListingPage>;
  /** Who serves one host now. Undefined: nobody, or nobody that is seen; the caller must not tell the two apart. */
  resolve(host: Host, now: Instant, sees: Sees): DiscoveryRecord | undefined;
  /** The same whether or not its evidence has run out. */
  byHost(host: Host): Listing | undefined;
  /** Whether readers of this scope have every listing of it. */
  isWhole(scope: Scope): boolean;
  readonly renewals: RenewalDigest;
  readonly shownCount: number;
}

/** @param recordsPerPage fewer than RECORDS_PER_PAGE_MAX, for tests of pages. */
export function createCatalog(world: World, evidence: Evidence, recordsPerPage: number = RECORDS_PER_PAGE_MAX): Catalog {
  const shelf = createShelf(recordsPerPage);
  const renewals = createRenewals();
  /** How many listings of a workspace are not shown; no entry for none. */
  const hidden = new Map<WorkspaceId, number>();
  let counted = -1;
  let nextEnd: Instant = NEVER;
  let shownCount = 0;

  function count(workspace: WorkspaceId, shown: boolean, by: 1 | -1): void {
    if (shown) shownCount += by;
    else {
      const left = (hidden.get(workspace) ?? 0) + by;
      if (left === 0) hidden.delete(workspace);
      else hidden.set(workspace, left);
    }
  }

  function add(listing: OpenListing): void {
    shelf.add(listing);
    count(listing.record.workspace, listing.shown, 1);
    if (!listing.shown) return;
    renewals.came(listing);
    if (listing.until < nextEnd) nextEnd = listing.until;
  }

  function remove(listing: OpenListing): void {
    shelf.remove(listing);
    count(listing.record.workspace, listing.shown, -1);
    renewals.went(listing.record.recordId);
  }

  function judge(sandboxId: SandboxId, now: Instant, moves: Move[]): void {
    const before = shelf.ofSandbox(sandboxId);
    const held = world.installations.get(sandboxId);
    const judged = judgeFence(world, sandboxId);
    if (!judged.ok || held === undefined) {
      for (const listing of before) drop(listing);
      return;
    }
    const { installation, session } = judged.value;
    // The same record of the store on the same revisions: it cannot say anything else.
    if (before[0]?.held.modRevision === held.modRevision) return;
    const kept = new Set(installation.routes.map((route) => recordIdOf(sandboxId, route.service)));
    for (const listing of before) if (!kept.has(listing.record.recordId)) drop(listing);
    const sessionKey = sessionKeyOf(session);
    const until = shownUntil(evidence.untilOf(sessionKey));
    for (const route of installation.routes) {
      const record = recordOf(sandboxId, judged.value, route);
      const old = shelf.byId.get(record.recordId);
      if (old !== undefined) remove(old);
      add({ record, sandboxId, held, sessionKey, until, shown: until > now });
      const { recordId, workspace } = record;
      moves.push(
        until > now
          ? { kind: 'shown', recordId, workspace, lasting: true }
          : { kind: 'gone', recordId, workspace, reason: 'expired', lasting: true },
      );
    }

    function drop(listing: OpenListing): void {
      const { recordId, workspace, host } = listing.record;
      remove(listing);
      moves.push({ kind: 'gone', recordId, workspace, reason: reasonOf(world, sandboxId, listing.held, host), lasting: true });
    }
  }

  function touched(changes: readonly RecordChange[]): Iterable<SandboxId> {
    const touched = new Set<SandboxId>();
    for (const { key } of changes) {
      if (key.kind === 'generation') return new Set([...shelf.sandboxIds(), ...world.installations.keys()]);
      if ('sandboxId' in key) touched.add(key.sandboxId);
      else if (key.kind === 'member') for (const sandboxId of shelf.ofMember(key.memberId)) touched.add(sandboxId);
    }
    return touched;
  }

  return {
    changed(changes, now) {
      const moves: Move[] = [];
      for (const sandboxId of touched(changes)) judge(sandboxId, now, moves);
      return moves;
    },
    passed(now) {
      const renewed = evidence.version !== counted;
      const moves: Move[] = [];
      if (!renewed && now < nextEnd) return { moves, renewed };
      counted = evidence.version;
      nextEnd = NEVER;
      for (const listing of shelf.byId.values()) {
        const until = shownUntil(evidence.untilOf(listing.sessionKey));
        if (until > listing.until) listing.until = until;
        const shown = listing.until > now;
        if (shown && listing.until < nextEnd) nextEnd = listing.until;
        if (shown === listing.shown) continue;
        const { recordId, workspace } = listing.record;
        count(workspace, listing.shown, -1);
        count(workspace, shown, 1);
        listing.shown = shown;
        shelf.touch(listing);
        moves.push(
          shown
            ? { kind: 'shown', recordId, workspace, lasting: false }
            : { kind: 'gone', recordId, workspace, reason: 'expired', lasting: false },
        );
      }
      renewals.count(shelf.byId.values());
      return { moves, renewed };
    },
    listing: (recordId) => shelf.byId.get(recordId),
    listingsOf: (scope) => shelf.of(scope),
    pagesOf: (scope) => shelf.pagesOf(scope),
    resolve(host, now, sees) {
      const listing = shelf.byHost(host);
      if (listing === undefined || !sees(listing.record.workspace)) return undefined;
      const until = currentUntil(listing, evidence);
      return until > now ? { ...listing.record, until } : undefined;
    },
    byHost: (host) => shelf.byHost(host),
    isWhole(scope) {
      if (hidden.size === 0) return true;
      if (scope === 'all') return false;
      for (const workspace of hidden.keys()) if (inScope(scope, workspace)) return false;
      return true;
    },
    get renewals() {
      return renewals.digest;
    },
    get shownCount() {
      return shownCount;
    },
  };
}
