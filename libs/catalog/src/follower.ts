import { type FailureKind, type Instant, LONG_AGO, later, NEVER, type WorkspaceId } from '@sallyport/model';
import type { Readable, Sent, Timed, WatchMessage } from './messages.ts';
import type { TombstoneReason } from './record.ts';
import { createRoom, FOLLOWER_LIMITS, type FollowerLimits, type Room } from './room.ts';

/**
 * The reader's end of a watch, without the stream: what it holds, and until when it may use it. It never uses a record longer
 * than the authority behind it, whatever the network does: every life is counted from the sending of an own Ping, and ends
 * by the reader's own clock, also when nothing arrives any more.
 *
 * A driver of it opens streams, sends what `opened` and `ping` say, passes on what arrives, calls `passed` at `dueAt`, and
 * obeys the effects. After the end of a stream it opens another; the records live on meanwhile, as long as they may.
 */
export interface Follower<R extends Readable> {
  /** A stream was opened: its first message. */
  opened(now: Instant): WatchStart;
  /** The next Ping, each PING_EVERY_MS, sent at `now`. */
  ping(now: Instant): bigint;
  received(sent: Sent<R>, now: Instant): readonly Effect<R>[];
  /** The stream has ended; undefined: in good order. */
  closed(failure: FailureKind | undefined, now: Instant): readonly Effect<R>[];
  /** Time has passed: what has run out. */
  passed(now: Instant): readonly Effect<R>[];
  /** When `passed` has something to do. */
  dueAt(): Instant;
  /** What may be used now. */
  records(now: Instant): Iterable<R>;
  byHost(host: string, now: Instant): Followed<R> | undefined;
  /** Whether a whole snapshot has ever been taken: before that, a host that is not there may yet come. */
  readonly complete: boolean;
  /**
   * How many records were shown and not taken since the last whole snapshot, because the limits were reached; 0: all that may be seen
   * is held. The next stream then begins with a snapshot, which may fit.
   */
  readonly leftOut: number;
  /** What the newest heartbeat said; undefined before the first of this stream. */
  readonly health: { readonly lagMs: number; readonly hasAuthority: boolean } | undefined;
}

export interface WatchStart {
  readonly workspaces: readonly WorkspaceId[];
  /** Empty: from the beginning. */
  readonly resumeToken: string;
}

/** One record that is held, and until when it may be used. */
export interface Followed<R> {
  readonly record: R;
  readonly until: Instant;
}

export type Effect<R> =
  /** It may be used, or says something else than before. */
  | { readonly kind: 'put'; readonly record: R }
  /** It may be used no more. `replaced`: a new snapshot has it no more. `lapsed`: it ran out; a renewal may bring it back. `left-out`: a
   * newer one of its id is over the limits. */
  | { readonly kind: 'drop'; readonly record: R; readonly reason: TombstoneReason | 'replaced' | 'lapsed' | 'left-out' }
  /** The stream cannot be followed any further: end it and open another. */
  | { readonly kind: 'restart'; readonly why: string };

export const PING_EVERY_MS = 5_000;
/** Three heartbeats: a stream that is silent for so long is lost. */
export const SILENCE_MAX_MS = 15_000;
/** Pings whose sending is remembered: five minutes of them. */
const PINGS_MAX = 64;

export function createFollower<R extends Readable>(
  workspaces: readonly WorkspaceId[] = [],
  limits: FollowerLimits = FOLLOWER_LIMITS,
): Follower<R> {
  const held = new Map<string, Holding<R>>();
  const byHost = new Map<string, Holding<R>>();
  let room = createRoom(limits);
  let leftOut = 0;
  let pings = new Map<bigint, Instant>();
  let pingId = 0n;
  let token = '';
  /** Something was let go of before the message that closes it: what is held is not what it was at the token. */
  let isTorn = false;
  let complete = false;
  let open = false;
  let heardAt: Instant = LONG_AGO;
  let health: Follower<R>['health'];
  /** Parts of what is to be applied together. */
  let snapshot: { readonly records: Map<string, Counted<R>>; readonly room: Room; leftOut: number } | undefined;
  let delta: DeltaPart<R>[] = [];
  let renew: RenewPart[] = [];
  /** What is in those parts. An empty part counts as well. */
  let deltaEntries = 0;
  let renewEntries = 0;

  /** From when lives are counted that were sent with this Ping. One that is not remembered proves nothing. */
  const sentAt = (id: bigint): Instant => pings.get(id) ?? LONG_AGO;
  const counted = (at: Instant, { record, ttlMs }: Timed<R>): Counted<R> => ({ record, until: later(at, ttlMs) });

  function put(each: Counted<R>, now: Instant, effects: Effect<R>[]): void {
    const before = held.get(each.record.recordId);
    if (before !== undefined) room.give(before.record);
    if (room.take(each.record)) return place(each, now, effects);
    leftOut += 1;
    if (before === undefined) return;
    // What it says of its host is no longer so.
    room.take(before.record);
    drop(before.record.recordId, 'left-out', effects);
  }

  function place({ record, until }: Counted<R>, now: Instant, effects: Effect<R>[]): void {
    const before = held.get(record.recordId);
    if (before !== undefined && byHost.get(before.record.host) === before) byHost.delete(before.record.host);
    const holding = { record, until, usable: until > now };
    held.set(record.recordId, holding);
    byHost.set(record.host, holding);
    if (holding.usable) effects.push({ kind: 'put', record });
    else if (before?.usable === true) effects.push({ kind: 'drop', record: before.record, reason: 'lapsed' });
  }

  function drop(recordId: string, reason: TombstoneReason | 'replaced' | 'left-out', effects: Effect<R>[]): void {
    const holding = held.get(recordId);
    if (holding === undefined) return;
    held.delete(recordId);
    room.give(holding.record);
    if (byHost.get(holding.record.host) === holding) byHost.delete(holding.record.host);
    if (holding.usable) effects.push({ kind: 'drop', record: holding.record, reason });
  }

  function extend(holding: Holding<R>, until: Instant, now: Instant, effects: Effect<R>[]): void {
    // Each promise is true by itself: one that ends sooner takes nothing from one before it.
    if (until > holding.until) holding.until = until;
    if (holding.usable || holding.until <= now) return;
    holding.usable = true;
    effects.push({ kind: 'put', record: holding.record });
  }

  function takeSnapshot(part: SnapshotPart<R>, at: Instant, now: Instant, effects: Effect<R>[]): void {
    snapshot ??= { records: new Map(), room: createRoom(limits), leftOut: 0 };
    const { records } = snapshot;
    const remove = (recordId: string): void => {
      const told = records.get(recordId);
      if (told === undefined || snapshot === undefined) return;
      snapshot.room.give(told.record);
      records.delete(recordId);
    };
    for (const timed of part.pages.flat()) {
      remove(timed.record.recordId);
      if (snapshot.room.take(timed.record)) records.set(timed.record.recordId, counted(at, timed));
      else snapshot.leftOut += 1;
    }
    for (const recordId of part.removed) remove(recordId);
    if (part.token === undefined) return;
    for (const recordId of [...held.keys()]) if (!records.has(recordId)) drop(recordId, 'replaced', effects);
    ({ room, leftOut } = snapshot);
    for (const each of records.values()) place(each, now, effects);
    snapshot = undefined;
    reach(part.token);
    complete = true;
  }

  function takeDelta(part: DeltaPart<R>, now: Instant, effects: Effect<R>[]): void {
    for (const { recordId, reason } of part.message.tombstones) {
      if (reason !== 'grant-revoked') continue;
      drop(recordId, reason, effects);
      isTorn = true;
      delta = delta.map((each) => without(each, recordId));
    }
    if (part.message.from !== token) {
      reach('');
      effects.push({ kind: 'restart', why: 'a change does not follow on what is held' });
      return;
    }
    deltaEntries += Math.max(1, part.message.tombstones.length + part.message.upserts.length);
    if (isTooLarge(deltaEntries, effects)) return;
    delta.push(part);
    if (part.message.to === undefined) return;
    for (const { message, at } of delta) {
      for (const { recordId, reason } of message.tombstones) drop(recordId, reason, effects);
      for (const timed of message.upserts) put(counted(at, timed), now, effects);
    }
    delta = [];
    deltaEntries = 0;
    reach(part.message.to);
  }

  /** Parts of one thing wait for its end, and would wait for ever where that never comes. */
  function isTooLarge(entries: number, effects: Effect<R>[]): boolean {
    if (entries <= limits.recordsMax) return false;
    forgetParts();
    reach('');
    effects.push({ kind: 'restart', why: `a change or a renewal has more than ${limits.recordsMax} entries` });
    return true;
  }

  function reach(next: string): void {
    token = next;
    isTorn = false;
  }

  function takeRenew(part: RenewPart, now: Instant, effects: Effect<R>[]): void {
    renewEntries += Math.max(1, part.message.floors.length + part.message.singles.length);
    if (isTooLarge(renewEntries, effects)) return;
    renew.push(part);
    if (!part.message.isLast) return;
    const floors = new Map<string, Instant>();
    const singles = new Map<string, Instant>();
    for (const { message, at } of renew) {
      for (const { renewedBy, ttlMs } of message.floors) floors.set(renewedBy, later(at, ttlMs));
      for (const { recordId, ttlMs } of message.singles) singles.set(recordId, later(at, ttlMs));
    }
    forgetRenewal();
    for (const holding of held.values()) {
      const until = singles.get(holding.record.recordId) ?? floors.get(holding.record.renewedBy);
      if (until !== undefined) extend(holding, until, now, effects);
    }
  }

  function forgetParts(): void {
    snapshot = undefined;
    delta = [];
    deltaEntries = 0;
    forgetRenewal();
  }

  function forgetRenewal(): void {
    renew = [];
    renewEntries = 0;
  }

  function expire(now: Instant, effects: Effect<R>[]): void {
    for (const holding of held.values()) {
      if (!holding.usable || holding.until > now) continue;
      holding.usable = false;
      effects.push({ kind: 'drop', record: holding.record, reason: 'lapsed' });
    }
  }

  return {
    opened(now) {
      forgetParts();
      if (isTorn || leftOut > 0) reach('');
      pings = new Map([[0n, now]]);
      pingId = 0n;
      open = true;
      heardAt = now;
      health = undefined;
      return { workspaces, resumeToken: token };
    },
    ping(now) {
      pingId += 1n;
      pings.set(pingId, now);
      if (pings.size > PINGS_MAX) pings.delete(pings.keys().next().value ?? 0n);
      return pingId;
    },
    received({ pingId: named, message }, now) {
      const effects: Effect<R>[] = [];
      if (!open) return effects;
      heardAt = now;
      const at = sentAt(named);
      // Renewals that were not finished are void: something else was more important.
      if (message.kind !== 'renew') forgetRenewal();
      if (message.kind === 'snapshot') takeSnapshot(message, at, now, effects);
      else if (message.kind === 'delta') takeDelta({ message, at }, now, effects);
      else if (message.kind === 'renew') takeRenew({ message, at }, now, effects);
      else if (message.kind === 'resync') {
        forgetParts();
        if (message.forget) {
          isTorn = true;
          for (const recordId of [...held.keys()]) drop(recordId, 'grant-revoked', effects);
        }
      } else {
        reach(message.token);
        health = { lagMs: message.lagMs, hasAuthority: message.hasAuthority };
      }
      expire(now, effects);
      return effects;
    },
    closed(failure, now) {
      const effects: Effect<R>[] = [];
      open = false;
      health = undefined;
      forgetParts();
      // Whoever may see nothing any more, or cannot show who it is, holds nothing of others.
      if (failure === 'forbidden') for (const recordId of [...held.keys()]) drop(recordId, 'grant-revoked', effects);
      if (failure === 'forbidden' || failure === 'malformed') reach('');
      expire(now, effects);
      return effects;
    },
    passed(now) {
      const effects: Effect<R>[] = [];
      expire(now, effects);
      if (open && now >= later(heardAt, SILENCE_MAX_MS)) {
        open = false;
        effects.push({ kind: 'restart', why: `nothing was heard for ${SILENCE_MAX_MS / 1_000} s` });
      }
      return effects;
    },
    dueAt() {
      let due: Instant = open ? later(heardAt, SILENCE_MAX_MS) : NEVER;
      for (const { usable, until } of held.values()) if (usable && until < due) due = until;
      return due;
    },
    *records(now) {
      for (const { record, until } of held.values()) if (until > now) yield record;
    },
    byHost(host, now) {
      const holding = byHost.get(host);
      return holding !== undefined && holding.until > now ? { record: holding.record, until: holding.until } : undefined;
    },
    get leftOut() {
      return leftOut;
    },
    get complete() {
      return complete;
    },
    get health() {
      return health;
    },
  };
}

interface Counted<R> {
  readonly record: R;
  readonly until: Instant;
}
interface Holding<R> extends Counted<R> {
  until: Instant;
  /** As of the last look at time; whoever uses it compares `until`. */
  usable: boolean;
}
type SnapshotPart<R extends Readable> = Extract<WatchMessage<R>, { kind: 'snapshot' }>;
interface DeltaPart<R extends Readable> {
  readonly message: Extract<WatchMessage<R>, { kind: 'delta' }>;
  readonly at: Instant;
}
interface RenewPart {
  readonly message: Extract<WatchMessage<never>, { kind: 'renew' }>;
  readonly at: Instant;
}

const without = <R extends Readable>({ message, at }: DeltaPart<R>, recordId: string): DeltaPart<R> => ({
  at,
  message: { ...message, upserts: message.upserts.filter(({ record }) => record.recordId !== recordId) },
});
