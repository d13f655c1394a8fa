import { earliest, type Instant, LONG_AGO, later } from '@sallyport/model';
import { backoffMs } from '@sallyport/process';
import { type Check, gatherCheck, nextCheck, startCheck, waitForWatch, wakeCheck } from './reflector-check.ts';
import {
  BACKOFF,
  LIST_LIMIT,
  OLDER_LISTS_MAX,
  SHORT_WATCH_MS,
  SILENCE_MS,
  SMALLER_PAGE,
  timeoutSeconds,
} from './reflector-limits.ts';
import type { Trouble } from './trouble.ts';
import { isOlder } from './version.ts';

/**
 * How a kind of object is followed: list it, watch from there, and start over whenever the cursor is lost. This file decides
 * and asks; who asks and waits is follow.ts. Answers to requests that were given up must not be fed in.
 */
export interface Reflector<T> {
  readonly phase: Phase<T>;
  /** Everything up to here has been applied. */
  readonly since: string | undefined;
  /** When the server last proved to be telling us everything; a list counts from when it was asked for. */
  readonly heardAt: Instant;
  /** Tries in a row that came to nothing. */
  readonly attempt: number;
  /** Lists in a row that were older than what had been seen. */
  readonly olderLists: number;
  /** Objects in a page. */
  readonly limit: number;
  readonly check: Check<T>;
}

export type Phase<T> =
  | { readonly kind: 'idle' }
  /** `next`: where the page that was asked for begins. */
  | { readonly kind: 'listing'; readonly askedAt: Instant; readonly gathered: readonly T[]; readonly next: string | undefined }
  | { readonly kind: 'opening'; readonly askedAt: Instant }
  | { readonly kind: 'watching'; readonly openedAt: Instant }
  | { readonly kind: 'waiting'; readonly until: Instant; readonly then: 'list' | 'watch' };

export interface Page<T> {
  readonly items: readonly T[];
  readonly version: string;
  /** Where the next page begins. */
  readonly next: string | undefined;
}

export type ReflectorEvent<T> =
  | { readonly kind: 'start' }
  | { readonly kind: 'page'; readonly page: Page<T> }
  | { readonly kind: 'page-failed'; readonly why: Trouble }
  | { readonly kind: 'opened' }
  /** `item` is absent where the object could not be read: its version still counts. */
  | { readonly kind: 'changed'; readonly change: 'put' | 'remove'; readonly version: string; readonly item: T | undefined }
  | { readonly kind: 'bookmark'; readonly version: string }
  | { readonly kind: 'ended'; readonly why: Trouble | undefined }
  | { readonly kind: 'check-page'; readonly page: Page<T> }
  | { readonly kind: 'check-failed'; readonly why: Trouble }
  | { readonly kind: 'tick' };

export type ReflectorEffect<T> =
  | { readonly kind: 'list'; readonly purpose: 'fill' | 'check'; readonly limit: number; readonly next: string | undefined }
  | { readonly kind: 'watch'; readonly since: string; readonly timeoutSeconds: number }
  | { readonly kind: 'stop-watch' }
  | { readonly kind: 'replace'; readonly items: readonly T[]; readonly version: string }
  | { readonly kind: 'put' | 'remove'; readonly item: T }
  | { readonly kind: 'compare'; readonly items: readonly T[]; readonly version: string }
  /** For the log: history has a hole, or the server is not there. */
  | { readonly kind: 'say'; readonly what: string };

export interface Stepped<T> {
  readonly state: Reflector<T>;
  readonly effects: readonly ReflectorEffect<T>[];
}

/** `random` is from 0 to 1, a new one for each step. */
export interface Surroundings {
  readonly now: Instant;
  readonly random: number;
  readonly checkEveryMs: number;
}

export const newReflector = <T>(): Reflector<T> => ({
  phase: { kind: 'idle' },
  since: undefined,
  heardAt: LONG_AGO,
  attempt: 0,
  olderLists: 0,
  limit: LIST_LIMIT,
  check: { kind: 'none' },
});

export function step<T>(state: Reflector<T>, event: ReflectorEvent<T>, around: Surroundings): Stepped<T> {
  const { phase } = state;
  switch (event.kind) {
    case 'start':
      return phase.kind === 'idle' ? list(state, around) : nothing(state);
    case 'page':
      return phase.kind === 'listing' ? page(state, phase, event.page, around) : nothing(state);
    case 'page-failed':
      return phase.kind === 'listing' ? listFailed(state, phase, event.why, around) : nothing(state);
    case 'opened':
      if (phase.kind !== 'opening') return nothing(state);
      return nothing({ ...state, phase: { kind: 'watching', openedAt: around.now }, heardAt: phase.askedAt });
    case 'changed': {
      if (phase.kind !== 'watching') return nothing(state);
      const effects = event.item === undefined ? [] : [{ kind: event.change, item: event.item }];
      return { state: heard(state, phase, event.version, around.now), effects };
    }
    case 'bookmark':
      return phase.kind === 'watching' ? nothing(heard(state, phase, event.version, around.now)) : nothing(state);
    case 'ended':
      return phase.kind === 'watching' || phase.kind === 'opening' ? ended(state, phase, event.why, around) : nothing(state);
    case 'check-page': {
      const { check, next } = gatherCheck(state.check, event.page, around.now);
      return { state: { ...state, check }, effects: next === undefined ? [] : [listEffect('check', state.limit, next)] };
    }
    case 'check-failed':
      if (state.check.kind !== 'listing') return nothing(state);
      return {
        state: { ...state, limit: limitAfter(state.limit, event.why), check: nextCheck(around) },
        effects: [say(`self-check failed: ${event.why.message}`)],
      };
    case 'tick':
      return tick(state, around);
  }
}

/** When `tick` has something to do. */
export function wakeAt<T>({ phase, heardAt, check }: Reflector<T>): Instant | undefined {
  const checkAt = phase.kind === 'watching' ? wakeCheck(check) : undefined;
  const own = phaseWakeAt(phase, heardAt);
  if (own === undefined || checkAt === undefined) return own ?? checkAt;
  return earliest(own, checkAt);
}

/** How old what we hold may be. Undefined: nothing was ever held. */
export const ageMs = <T>({ since, heardAt }: Reflector<T>, now: Instant): number | undefined =>
  since === undefined ? undefined : Math.max(0, now - heardAt);

function phaseWakeAt<T>(phase: Phase<T>, heardAt: Instant): Instant | undefined {
  switch (phase.kind) {
    case 'idle':
    case 'listing':
      return undefined;
    case 'opening':
      return later(phase.askedAt, SILENCE_MS);
    case 'watching':
      return later(phase.openedAt > heardAt ? phase.openedAt : heardAt, SILENCE_MS);
    case 'waiting':
      return phase.until;
  }
}

function tick<T>(state: Reflector<T>, around: Surroundings): Stepped<T> {
  const { phase, since } = state;
  const due = phaseWakeAt(phase, state.heardAt);
  if (due !== undefined && around.now >= due) {
    if (phase.kind === 'waiting')
      return phase.then === 'list' || since === undefined ? list(state, around) : watch(state, since, around);
    // Silence: a connection that is half open stays so for minutes. The cursor is good, so a new watch loses nothing.
    const again = phase.kind === 'opening' ? wait(state, 'watch', 0, around) : watch(state, since ?? '', around);
    return { state: again.state, effects: [{ kind: 'stop-watch' }, say('the watch is silent'), ...again.effects] };
  }
  const checkAt = phase.kind === 'watching' ? wakeCheck(state.check) : undefined;
  if (checkAt === undefined || around.now < checkAt) return nothing(state);
  if (state.check.kind === 'settling') {
    const longer = waitForWatch(state.check, state.since, around.now);
    if (longer !== undefined) return nothing({ ...state, check: longer });
    const { items, version } = state.check;
    return { state: { ...state, check: nextCheck(around) }, effects: [{ kind: 'compare', items, version }] };
  }
  return { state: { ...state, check: startCheck() }, effects: [listEffect('check', state.limit, undefined)] };
}

function page<T>(
  state: Reflector<T>,
  phase: Extract<Phase<T>, { kind: 'listing' }>,
  { items, version, next }: Page<T>,
  around: Surroundings,
): Stepped<T> {
  const gathered = phase.gathered.length === 0 ? items : [...phase.gathered, ...items];
  if (next !== undefined)
    return { state: { ...state, phase: { ...phase, gathered, next } }, effects: [listEffect('fill', state.limit, next)] };
  // A server that lags behind another would take us back in time. One that was restored from a backup says so for ever, so
  // after some tries it is believed; by then what we hold is stale and nothing rests on it.
  if (state.since !== undefined && isOlder(version, state.since) && state.olderLists < OLDER_LISTS_MAX) {
    const waiting = wait({ ...state, olderLists: state.olderLists + 1 }, 'list', 0, around);
    return { ...waiting, effects: [say(`a list of ${version} is older than ${state.since}, which was seen`)] };
  }
  const limit = Math.min(LIST_LIMIT, state.limit * 2);
  const filled: Reflector<T> = {
    ...state,
    since: version,
    heardAt: phase.askedAt,
    olderLists: 0,
    limit,
    check: nextCheck(around),
  };
  const opened = watch(filled, version, around);
  return { state: opened.state, effects: [{ kind: 'replace', items: gathered, version }, ...opened.effects] };
}

function listFailed<T>(
  state: Reflector<T>,
  phase: Extract<Phase<T>, { kind: 'listing' }>,
  why: Trouble,
  around: Surroundings,
): Stepped<T> {
  const effects = [say(`cannot list: ${why.message}`)];
  // A few huge objects must not hide all others: the same page again, in parts.
  const limit = limitAfter(state.limit, why);
  if (limit < state.limit) return { state: { ...state, limit }, effects: [...effects, listEffect('fill', limit, phase.next)] };
  // A list of many pages outlived its snapshot: begin with a fresh one. Once at once, then with patience.
  if (why.kind === 'expired' && state.attempt === 0) {
    const again = list({ ...state, attempt: 1 }, around);
    return { state: again.state, effects: [...effects, ...again.effects] };
  }
  return { state: wait(state, 'list', retryAfter(why), around).state, effects };
}

function ended<T>(
  state: Reflector<T>,
  phase: Extract<Phase<T>, { kind: 'opening' | 'watching' }>,
  why: Trouble | undefined,
  around: Surroundings,
): Stepped<T> {
  const lived = phase.kind === 'watching' && around.now - phase.openedAt >= SHORT_WATCH_MS;
  const calm = lived ? { ...state, attempt: 0 } : state;
  if (why === undefined && lived && calm.since !== undefined) return watch(calm, calm.since, around);
  const effects = why === undefined ? [] : [say(`the watch ended: ${why.message}`)];
  // What a watch cannot tell, a list can, in pages of one.
  if (why?.kind === 'too-large') return { state: wait(calm, 'list', 0, around).state, effects };
  if (why?.kind !== 'expired') return { state: wait(calm, 'watch', retryAfter(why), around).state, effects };
  if (calm.attempt > 0) return { state: wait(calm, 'list', 0, around).state, effects };
  const again = list({ ...calm, attempt: 1 }, around);
  return { state: again.state, effects: [...effects, ...again.effects] };
}

const list = <T>(state: Reflector<T>, { now }: Surroundings): Stepped<T> => ({
  state: { ...state, phase: { kind: 'listing', askedAt: now, gathered: [], next: undefined }, check: { kind: 'none' } },
  effects: [listEffect('fill', state.limit, undefined)],
});

const limitAfter = (limit: number, why: Trouble): number =>
  why.kind === 'too-large' ? Math.max(1, Math.floor(limit / SMALLER_PAGE)) : limit;

const watch = <T>(state: Reflector<T>, since: string, { now, random }: Surroundings): Stepped<T> => ({
  state: { ...state, phase: { kind: 'opening', askedAt: now } },
  effects: [{ kind: 'watch', since, timeoutSeconds: timeoutSeconds(random) }],
});

function wait<T>(state: Reflector<T>, then: 'list' | 'watch', atLeastMs: number, { now, random }: Surroundings): Stepped<T> {
  const until = later(now, atLeastMs + backoffMs(state.attempt, random, BACKOFF));
  return { state: { ...state, phase: { kind: 'waiting', until, then }, attempt: state.attempt + 1 }, effects: [] };
}

/**
 * Only a watch that tells something and lasts shows that the way is good again: a list may succeed before each watch that fails,
 * and a watch may tell something each time before it says that history is gone.
 */
const heard = <T>(
  state: Reflector<T>,
  { openedAt }: Extract<Phase<T>, { kind: 'watching' }>,
  version: string,
  now: Instant,
): Reflector<T> => ({
  ...state,
  since: state.since !== undefined && isOlder(version, state.since) ? state.since : version,
  heardAt: now,
  attempt: now - openedAt >= SHORT_WATCH_MS ? 0 : state.attempt,
});

const nothing = <T>(state: Reflector<T>): Stepped<T> => ({ state, effects: [] });
const say = (what: string) => ({ kind: 'say' as const, what });
const retryAfter = (why: Trouble | undefined): number => (why?.kind === 'busy' ? why.retryAfterMs : 0);
const listEffect = (purpose: 'fill' | 'check', limit: number, next: string | undefined) => ({
  kind: 'list' as const,
  purpose,
  limit,
  next,
});
