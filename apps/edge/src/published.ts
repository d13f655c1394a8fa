import type { Effect, Follower } from '@sallyport/catalog';
import { type Host, type Instant, later } from '@sallyport/model';
import type { PublishedRecord } from '@sallyport/wire';
import { COMES_BACK, type RecordEnd } from './endings.ts';
import { AWAITED_HOSTS_MAX, AWAITED_MS } from './limits.ts';

/** Where a host is, as far as this edge knows it. */
export type Place =
  /** May be used until then, or longer if it is renewed. */
  | { readonly kind: 'record'; readonly record: PublishedRecord; readonly until: Instant }
  /** No record now; one is expected, because it was there a moment ago or because nothing is known yet. */
  | { readonly kind: 'awaited' }
  | { readonly kind: 'unknown' };

/** A connection that rests on a record, from its dial to its end. */
export interface Resting {
  /** Called once, within the turn in which the record goes: not one byte more. It rests on nothing then. */
  recordEnded(end: RecordEnd): void;
}

/** The records, who rests on each, and who waits for one. */
export interface Published {
  find(host: Host, now: Instant): Place;
  /** What the follower says, in order. */
  apply(effects: readonly Effect<PublishedRecord>[], now: Instant): void;
  rest(record: PublishedRecord, resting: Resting): void;
  leave(record: PublishedRecord, resting: Resting): void;
  /** Tells once, when there is something new about the host. */
  await(host: Host, look: () => void): void;
  forget(host: Host, look: () => void): void;
}

/** What of a record a connection rests on: another of these is another supervisor. */
export const sameEndpoint = ({ endpoint: a }: PublishedRecord, { endpoint: b }: PublishedRecord): boolean =>
  a.address === b.address && a.port === b.port && a.podUid === b.podUid;

export function createPublished(follower: Pick<Follower<PublishedRecord>, 'byHost' | 'complete'>): Published {
  const restingOn = new Map<string, Map<Resting, PublishedRecord>>();
  const waiting = new Map<Host, Set<() => void>>();
  /** Hosts that are expected back, and until when; the oldest first. */
  const awaited = new Map<Host, Instant>();
  /** Whose record the follower has not taken back. It may have run out a moment ago, without anybody's having looked. */
  const shown = new Map<Host, string>();
  let wasComplete = follower.complete;

  function wake(host: Host): void {
    const looks = waiting.get(host);
    waiting.delete(host);
    for (const look of looks ?? []) look();
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
    for (const [resting, record] of [...(all ?? [])]) {
      if (!isOver(record)) continue;
      all?.delete(resting);
      resting.recordEnded(why);
    }
    if (all?.size === 0) restingOn.delete(recordId);
  }

  return {
    find(host, now) {
      const held = follower.byHost(host, now);
      if (held !== undefined) return { kind: 'record', record: held.record, until: held.until };
      // Before the first snapshot every name may yet turn out to be served.
      const until = awaited.get(host);
      return !follower.complete || shown.has(host) || (until !== undefined && now < until)
        ? { kind: 'awaited' }
        : { kind: 'unknown' };
    },
    apply(effects, now) {
      for (const effect of effects) {
        if (effect.kind === 'restart') continue;
        const { record } = effect;
        if (effect.kind === 'drop') {
          if (shown.get(record.host) === record.recordId) shown.delete(record.host);
          if (COMES_BACK[effect.reason]) expectBack(record.host, now);
          else awaited.delete(record.host);
          end(record.recordId, effect.reason, () => true);
          // Who waits shall hear that nothing comes.
          if (!COMES_BACK[effect.reason]) wake(record.host);
          continue;
        }
        shown.set(record.host, record.recordId);
        awaited.delete(record.host);
        end(record.recordId, 'moved', (before) => !sameEndpoint(before, record));
        wake(record.host);
      }
      if (wasComplete || !follower.complete) return;
      wasComplete = true;
      for (const host of [...waiting.keys()]) wake(host);
    },
    rest(record, resting) {
      const all = restingOn.get(record.recordId) ?? new Map<Resting, PublishedRecord>();
      restingOn.set(record.recordId, all);
      all.set(resting, record);
    },
    leave(record, resting) {
      const all = restingOn.get(record.recordId);
      all?.delete(resting);
      if (all?.size === 0) restingOn.delete(record.recordId);
    },
    await(host, look) {
      const looks = waiting.get(host) ?? new Set();
      waiting.set(host, looks);
      looks.add(look);
    },
    forget(host, look) {
      const looks = waiting.get(host);
      looks?.delete(look);
      if (looks?.size === 0) waiting.delete(host);
    },
  };
}
