import { type Failure, failure, type Instant, LONG_AGO, later, type StoreRevision } from '@sallyport/model';
import { createBacklog } from './backlog.ts';
import type { Catalog } from './catalog.ts';
import type { Evidence } from './evidence.ts';
import type { History } from './history.ts';
import { type Listing, type Move, ttlMsOf } from './listing.ts';
import {
  NAMES_PER_MESSAGE_MAX,
  type Page,
  RECORDS_PER_MESSAGE_MAX,
  type ResyncReason,
  type Sent,
  type Timed,
  type Tombstone,
  type WatchMessage,
} from './messages.ts';
import type { ListingPage } from './page.ts';
import type { CatalogRecord } from './record.ts';
import { type RenewPart, renewParts } from './renew-parts.ts';
import { inScope, isEmptyScope, isNarrowed, type Scope } from './scope.ts';

/** Where a stream is: it can be taken up again from here, at any replica. */
export interface Position {
  readonly revision: StoreRevision;
  /** Whether the reader then had every record that stood. Only then does what moved since bring it up to date. */
  readonly whole: boolean;
  readonly scope: Scope;
}

/**
 * The server's end of one watch, without the stream: it is told what moves, and asked for the next message when the reader
 * has room for one. So nothing is made before it can be sent, and what is sent is the newest.
 */
export interface Feed {
  /** From the beginning, or from where an earlier stream ended. */
  start(resume: Position | { readonly refused: ResyncReason } | undefined): void;
  moved(moves: readonly Move[], now: Instant): void;
  /** Lives have become longer. */
  renewed(): void;
  /** What the reader may see has changed. Whatever it may see no more is told before anything else. */
  rescope(scope: Scope, now: Instant): void;
  pinged(id: bigint): void;
  /** Undefined: nothing is to be said now. */
  next(now: Instant): Sent<CatalogRecord> | undefined;
  /** Whether `next` would make a part of a snapshot, which costs more than anything else: there is a line for that. */
  owesSnapshot(): boolean;
  /** When `next` may have something though nothing moves; LONG_AGO: now. */
  dueAt(): Instant;
  /** Why the stream must end, once `next` has nothing more to say. */
  ended(): Failure | undefined;
  readonly backlogBytes: number;
}

export interface FeedOptions {
  readonly catalog: Catalog;
  readonly evidence: Evidence;
  readonly history: History;
  readonly revision: () => StoreRevision;
  readonly scope: Scope;
  /** A digest is not this code's business. */
  readonly tokenOf: (position: Position) => string;
  readonly health: (now: Instant) => { readonly lagMs: number; readonly hasAuthority: boolean };
  readonly backlogBytesMax: number;
  /** Fewer than RECORDS_PER_MESSAGE_MAX, for tests of parts. */
  readonly recordsPerMessage?: number;
  readonly onResync: (reason: ResyncReason) => void;
}

export const HEARTBEAT_EVERY_MS = 5_000;
export const RENEW_EVERY_MS = 1_000;
/** One more overflow within this time, and the reader is too slow to be served. */
export const RESYNC_AGAIN_MS = 60_000;

export function createFeed(options: FeedOptions): Feed {
  const { catalog, evidence, history, tokenOf, health, recordsPerMessage = RECORDS_PER_MESSAGE_MAX } = options;
  const backlog = createBacklog();
  let scope = options.scope;
  let phase: 'idle' | 'snapshot' | 'live' = 'idle';
  /**
   * Where a snapshot is among the pages. One that has not begun will tell what there is then; one that has goes on over
   * what is there now, and whatever moves meanwhile waits in the backlog for its last part.
   */
  let telling: Iterator<ListingPage> | 'not-begun' | 'told' = 'not-begun';
  let revoked: string[] = [];
  let resync: ResyncReason | undefined;
  /** A delta is due though nothing moved, to say that the resume was taken; or its last part is still to come. */
  let owesDelta = false;
  /** Told to be gone in a delta that is not closed yet, so that the reader has them still. */
  let unclosed: Pick<Move, 'recordId' | 'workspace'>[] = [];
  let token = '';
  let pingId = 0n;
  let renewDue = false;
  let renewAt: Instant = LONG_AGO;
  let renewing: RenewPart[] = [];
  let heartbeatAt: Instant = LONG_AGO;
  let overflowedAt: Instant | undefined;
  let end: Failure | undefined;

  const position = (): string => tokenOf({ revision: options.revision(), whole: catalog.isWhole(scope), scope });

  function beginSnapshot(reason: ResyncReason | undefined): void {
    resync = reason;
    if (reason !== undefined) options.onResync(reason);
    backlog.clear();
    revoked = [];
    unclosed = [];
    telling = 'not-begun';
    owesDelta = false;
    renewing = [];
    phase = 'snapshot';
  }

  /** As it is now, with what it may still live. Undefined: it is shown no more. */
  function timed(listing: Listing | undefined, now: Instant): Timed<CatalogRecord> | undefined {
    if (listing?.shown !== true || !inScope(scope, listing.record.workspace)) return undefined;
    return { record: listing.record, ttlMs: ttlMsOf(listing, evidence, now) };
  }

  function takeMoved(max: number, now: Instant): { readonly upserts: Timed<CatalogRecord>[]; readonly tombstones: Tombstone[] } {
    const upserts: Timed<CatalogRecord>[] = [];
    const tombstones: Tombstone[] = [];
    for (const { recordId, workspace, reason } of backlog.take(max)) {
      const record = reason === undefined ? timed(catalog.listing(recordId), now) : undefined;
      if (record !== undefined) upserts.push(record);
      else {
        tombstones.push({ recordId, reason: reason ?? 'expired' });
        unclosed.push({ recordId, workspace });
      }
    }
    return { upserts, tombstones };
  }

  /** A snapshot that will tell everything as it is then. */
  const hasNotBegun = (): boolean => phase === 'snapshot' && telling === 'not-begun';

  /** The reader has everything up to here. */
  function close(): void {
    token = position();
    unclosed = [];
  }

  function snapshotPart(now: Instant): WatchMessage<CatalogRecord> {
    const pages: Page<CatalogRecord>[] = [];
    const removed: string[] = [];
    let room = recordsPerMessage;
    if (telling === 'not-begun') telling = catalog.pagesOf(scope)[Symbol.iterator]();
    while (telling !== 'told' && room > 0) {
      const next = telling.next();
      if (next.done === true) telling = 'told';
      else {
        const page = next.value.told(now, evidence);
        pages.push(page);
        room -= page.length;
      }
    }
    if (telling === 'told' && room > 0) {
      // What moved while the parts went out: the last part brings all of it to one moment, also what was told as it is now.
      const { upserts, tombstones } = takeMoved(room, now);
      pages.push(upserts);
      removed.push(...tombstones.map(({ recordId }) => recordId));
    }
    const isLast = telling === 'told' && backlog.size === 0;
    if (isLast) {
      phase = 'live';
      close();
    }
    return { kind: 'snapshot', pages, removed, token: isLast ? token : undefined };
  }

  function deltaPart(now: Instant): WatchMessage<CatalogRecord> {
    const from = token;
    const { upserts, tombstones } = takeMoved(recordsPerMessage, now);
    owesDelta = backlog.size > 0;
    if (!owesDelta) close();
    return { kind: 'delta', from, to: owesDelta ? undefined : token, upserts, tombstones };
  }

  function revocation(): WatchMessage<CatalogRecord> {
    const tombstones = revoked
      .splice(0, NAMES_PER_MESSAGE_MAX)
      .map((recordId) => ({ recordId, reason: 'grant-revoked' as const }));
    // Part of a delta that its last part will close.
    owesDelta = true;
    return { kind: 'delta', from: token, to: undefined, tombstones, upserts: [] };
  }

  function message(now: Instant): WatchMessage<CatalogRecord> | undefined {
    if (phase === 'idle') return undefined;
    if (revoked.length > 0) return revocation();
    if (end !== undefined && isEmptyScope(scope) && !owesDelta) return undefined;
    if (resync !== undefined) {
      const reason = resync;
      resync = undefined;
      return { kind: 'resync', reason, forget: reason === 'scope' };
    }
    if (phase === 'snapshot') return snapshotPart(now);
    if (backlog.size > 0 || owesDelta) {
      renewing = [];
      return deltaPart(now);
    }
    if (renewing.length === 0 && renewDue && now >= renewAt) {
      renewDue = false;
      renewAt = later(now, RENEW_EVERY_MS);
      renewing = renewParts(catalog.renewals, scope);
    }
    const part = renewing.shift();
    if (part !== undefined) return part(now, renewing.length === 0);
    if (now < heartbeatAt) return undefined;
    heartbeatAt = later(now, HEARTBEAT_EVERY_MS);
    token = position();
    return { kind: 'heartbeat', token, ...health(now) };
  }

  function boundBacklog(now: Instant): void {
    if (backlog.bytes <= options.backlogBytesMax) return;
    if (phase === 'snapshot' || (overflowedAt !== undefined && now < later(overflowedAt, RESYNC_AGAIN_MS))) {
      end = failure('lagging', 'the reader is too slow for what changes: try again later, or ask for fewer workspaces');
      backlog.clear();
      phase = 'idle';
      return;
    }
    overflowedAt = now;
    beginSnapshot('too-slow');
  }

  return {
    start(resume) {
      if (resume === undefined) return beginSnapshot(undefined);
      if ('refused' in resume) return beginSnapshot(resume.refused);
      // The earlier stream lacked records whose evidence had run out there: it cannot be known which.
      if (!resume.whole) return beginSnapshot('incomplete');
      const moved = history.since(resume.revision);
      if (moved === undefined) return beginSnapshot('history');
      phase = 'live';
      token = tokenOf(resume);
      owesDelta = true;
      renewDue = true;
      for (const { recordId, workspace, reason } of moved) {
        // It says why a record was gone at that time; whether it is now, the catalog says.
        const isShown = catalog.listing(recordId)?.shown === true;
        if (inScope(scope, workspace)) backlog.note({ recordId, workspace, reason: isShown ? undefined : (reason ?? 'expired') });
      }
      // The other replica may have heard of renewals that this one has not: the reader must not keep what is not shown here.
      for (const { record, shown } of catalog.listingsOf(scope)) {
        if (!shown) backlog.note({ recordId: record.recordId, workspace: record.workspace, reason: 'expired' });
      }
    },
    moved(moves, now) {
      if (phase === 'idle' || hasNotBegun()) return;
      for (const move of moves) {
        if (!inScope(scope, move.workspace)) continue;
        const { recordId, workspace } = move;
        backlog.note({ recordId, workspace, reason: move.kind === 'gone' ? move.reason : undefined });
      }
      boundBacklog(now);
    },
    renewed() {
      renewDue = true;
    },
    rescope(next, now) {
      if (phase === 'idle') {
        scope = next;
        return;
      }
      const before = scope;
      scope = next;
      if (isEmptyScope(next)) end = failure('forbidden', 'no workspace is left that may be seen');
      else if (end?.kind === 'forbidden') end = undefined;
      renewing = [];
      // What the reader holds from before its snapshot is not known here, so it must let go of all of it.
      if (phase === 'snapshot' && isNarrowed(before, next)) return beginSnapshot('scope');
      if (phase === 'live') {
        owesDelta = true;
        for (const recordId of backlog.takeOutside(next)) revoked.push(recordId);
        for (const { recordId, workspace } of unclosed) if (!inScope(next, workspace)) revoked.push(recordId);
        for (const { record } of catalog.listingsOf(before)) {
          if (!inScope(next, record.workspace)) revoked.push(record.recordId);
        }
      }
      if (hasNotBegun()) return;
      for (const { record, shown } of catalog.listingsOf(next)) {
        if (shown && !inScope(before, record.workspace)) {
          backlog.note({ recordId: record.recordId, workspace: record.workspace, reason: undefined });
        }
      }
      boundBacklog(now);
    },
    pinged(id) {
      if (id > pingId) pingId = id;
      renewDue = true;
    },
    next(now) {
      const made = message(now);
      return made === undefined ? undefined : { pingId, message: made };
    },
    dueAt() {
      if (phase === 'idle') return heartbeatAt;
      if (
        revoked.length > 0 ||
        resync !== undefined ||
        phase === 'snapshot' ||
        backlog.size > 0 ||
        owesDelta ||
        renewing.length > 0
      )
        return LONG_AGO;
      return renewDue && renewAt < heartbeatAt ? renewAt : heartbeatAt;
    },
    owesSnapshot: () =>
      phase === 'snapshot' && revoked.length === 0 && resync === undefined && (end === undefined || !isEmptyScope(scope)),
    ended: () => end,
    get backlogBytes() {
      return backlog.bytes;
    },
  };
}
