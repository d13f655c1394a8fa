import type { Effect, Follower } from '@sallyport/catalog';
import { type Host, type Instant, later } from '@sallyport/model';
import type { PublishedRecord } from '@sallyport/wire';
import { COMES_BACK, type RecordEnd } from './endings.ts';
import { AWAITED_HOSTS_MAX, AWAITED_MS } from './limits.ts';
import { createRoster, type Listed, type Roster } from './roster.ts';

/** Where a host is, as far as this edge knows it. */
export type Place =
  /** May be used until then, or longer if it is renewed. */
  | { readonly kind: 'record'; readonly record: PublishedRecord; readonly until: Instant }
  /** No record now; one is expected, because it was there a moment ago or because nothing is known yet. */
  | { readonly kind: 'awaited' }
  | { readonly kind: 'unknown' };

/** A connection that rests on a record, from its dial to its end. */
export interface Resting extends Listed {
  /** On which. */
  on: PublishedRecord | undefined;
  /** Called once, within the turn in which the record goes: not one byte more. It rests on nothing then. */
  recordEnded(end: RecordEnd): void;
}

/** A connection that waits for a record. */
export interface Waiting {
  look(): void;
}

/** The records, who rests on each, and who waits for one. */
export interface Published {
  find(host: Host, now: Instant): Place;
  /** What the follower says, in order. */
  apply(effects: readonly Effect<PublishedRecord>[], now: Instant): void;
  rest(record: PublishedRecord, resting: Resting): void;
  leave(record: PublishedRecord, resting: Resting): void;
  /** Tells once, when there is something new about the host. */
  await(host: Host, waiting: Waiting): void;
  forget(host: Host, waiting: Waiting): void;
}

/** What of a record a connection rests on: another of these is another supervisor, or something that its end would not be told by. */
export const sameRecord = (a: PublishedRecord, b: PublishedRecord): boolean =>
  a.recordId === b.recordId &&
  a.host === b.host &&
  a.endpoint.address === b.endpoint.address &&
  a.endpoint.port === b.endpoint.port &&
  a.endpoint.podUid === b.endpoint.podUid;

export function createPublished(follower: Pick<Follower<PublishedRecord>, 'byHost' | 'complete' | 'leftOut'>): Published {
  const restingOn = new Map<string, Roster<Resting>>();
  const waitingFor = new Map<Host, Set<Waiting>>();
  /** Hosts that are expected back, and until when; the oldest first. */
  const awaited = new Map<Host, Instant>();
  /** Whose record the follower has not taken back. It may have run out a moment ago, without anybody's having looked. */
  const shown = new Map<Host, string>();
  /** The same the other way round. */
  const hostOf = new Map<string, Host>();
  let wasComplete = follower.complete;

  function wake(host: Host): void {
    const all = waitingFor.get(host);
    waitingFor.delete(host);
    for (const waiting of all ?? []) waiting.look();
  }

  function expectBack(host: Host, now: Instant): void {
    awaited.delete(host);
    awaited.set(host, later(now, AWAITED_MS));
    for (const oldest of awaited.keys()) {
      if (awaited.size <= AWAITED_HOSTS_MAX) break;
      awaited.delete(oldest);
    }
  }

  function end(recordId: string, why: RecordEnd, isOver: (record: PublishedRecord) => boolean): void {
    const all = restingOn.get(recordId);
    for (const resting of [...(all?.members ?? [])]) {
      const { on } = resting;
      // Who left meanwhile, or looked again and rests on a newer one, was told before or is not meant.
      if (on === undefined || on.recordId !== recordId || !isOver(on)) continue;
      all?.remove(resting);
      resting.on = undefined;
      resting.recordEnded(why);
    }
    // Who looked again meanwhile may rest on a newer record of that id, in a list of its own.
    if (all?.members.length === 0 && restingOn.get(recordId) === all) restingOn.delete(recordId);
  }

  function show(record: PublishedRecord): void {
    const { recordId, host } = record;
    const former = hostOf.get(recordId);
    if (former !== undefined && former !== host && shown.get(former) === recordId) shown.delete(former);
    const beside = shown.get(host);
    shown.set(host, recordId);
    hostOf.set(recordId, host);
    awaited.delete(host);
    // One host has one record, and one record one host: whoever came by another has lost it.
    if (beside !== undefined && beside !== recordId) end(beside, 'moved', (before) => before.host === host);
    end(recordId, 'moved', (before) => !sameRecord(before, record));
  }

  function hide({ recordId, host }: PublishedRecord): void {
    if (shown.get(host) === recordId) shown.delete(host);
    hostOf.delete(recordId);
  }

  return {
    find(host, now) {
      const held = follower.byHost(host, now);
      if (held !== undefined) return { kind: 'record', record: held.record, until: held.until };
      // Before the first snapshot every name may yet turn out to be served, and what found no room may be this one.
      const until = awaited.get(host);
      return !follower.complete || follower.leftOut > 0 || shown.has(host) || (until !== undefined && now < until)
        ? { kind: 'awaited' }
        : { kind: 'unknown' };
    },
    apply(effects, now) {
      for (const effect of effects) {
        if (effect.kind === 'restart') continue;
        const { record } = effect;
        if (effect.kind === 'drop') {
          hide(record);
          if (COMES_BACK[effect.reason]) expectBack(record.host, now);
          else awaited.delete(record.host);
          end(record.recordId, effect.reason, () => true);
          // Who waits shall hear that nothing comes.
          if (!COMES_BACK[effect.reason]) wake(record.host);
          continue;
        }
        show(record);
        wake(record.host);
      }
      if (wasComplete || !follower.complete) return;
      wasComplete = true;
      for (const host of [...waitingFor.keys()]) wake(host);
    },
    rest(record, resting) {
      const all = restingOn.get(record.recordId) ?? createRoster<Resting>();
      restingOn.set(record.recordId, all);
      all.add(resting);
      resting.on = record;
    },
    leave(record, resting) {
      const all = restingOn.get(record.recordId);
      all?.remove(resting);
      resting.on = undefined;
      if (all?.members.length === 0) restingOn.delete(record.recordId);
    },
    await(host, waiting) {
      waitingFor.set(host, (waitingFor.get(host) ?? new Set()).add(waiting));
    },
    forget(host, waiting) {
      const all = waitingFor.get(host);
      all?.delete(waiting);
      if (all?.size === 0) waitingFor.delete(host);
    },
  };
}
