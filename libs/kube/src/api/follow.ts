import type { Cancel, Clock } from '@sallyport/process';
import { type Cache, createCache, type Differences, type Tracked } from './cache.ts';
import type { KubeClient } from './client.ts';
import { listOf, numberOf, objectOf, textOf } from './objects.ts';
import { ageMs, newReflector, type Page, type ReflectorEffect, type ReflectorEvent, step, wakeAt } from './reflector.ts';
import { type Trouble, trouble, troubleOf } from './trouble.ts';

/** One kind of object, followed. */
export interface Followed<T extends Tracked> {
  readonly cache: Cache<T>;
  /** A whole list has been taken. */
  complete(): boolean;
  /** How old what is held may be; undefined before the first list. */
  ageMs(): number | undefined;
  readonly counts: Readonly<FollowCounts>;
  stop(): void;
}

export interface FollowCounts {
  lists: number;
  checks: number;
  watches: number;
  events: number;
  differences: number;
}

export interface FollowOptions<T extends Tracked> {
  readonly client: Pick<KubeClient, 'get' | 'watch'>;
  /** Of the collection, such as `/api/v1/pods`. */
  readonly path: string;
  readonly read: (object: unknown) => T | undefined;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly checkEveryMs: number;
  readonly onSay: (what: string) => void;
  /** The list was taken, or a self-check compared. */
  readonly onChecked?: (differences: Differences) => void;
}

/** The reflector's shell: does what it decides, and tells it what came. */
export function follow<T extends Tracked>(options: FollowOptions<T>): Followed<T> {
  const { client, path, read, clock, random, checkEveryMs } = options;
  const cache = createCache<T>();
  const counts: FollowCounts = { lists: 0, checks: 0, watches: 0, events: 0, differences: 0 };
  let state = newReflector<T>();
  let cancelWake: Cancel = () => undefined;
  let watching = new AbortController();
  const stopped = new AbortController();

  function feed(event: ReflectorEvent<T>): void {
    if (stopped.signal.aborted) return;
    const stepped = step(state, event, { now: clock.now(), random: random(), checkEveryMs });
    state = stepped.state;
    for (const effect of stepped.effects) act(effect);
    cancelWake();
    const due = wakeAt(state);
    if (due !== undefined) cancelWake = clock.at(due, () => feed({ kind: 'tick' }));
  }

  function act(effect: ReflectorEffect<T>): void {
    switch (effect.kind) {
      case 'list':
        return void list(effect);
      case 'watch':
        return void watch(effect);
      case 'stop-watch':
        return watching.abort();
      case 'put':
        return cache.put(effect.item);
      case 'remove':
        return cache.remove(effect.item);
      case 'replace':
        return cache.replace(effect.items, effect.version);
      case 'compare': {
        const differences = cache.check(effect.items, effect.version);
        counts.differences += differences.missing + differences.behind + differences.extra;
        return options.onChecked?.(differences);
      }
      case 'say':
        return options.onSay(effect.what);
    }
  }

  async function list({ purpose, limit, next }: Extract<ReflectorEffect<T>, { kind: 'list' }>): Promise<void> {
    if (next === undefined) counts[purpose === 'fill' ? 'lists' : 'checks'] += 1;
    // No resourceVersion: the most recent there is, not what some server happens to remember.
    const answer = await client.get(path, { limit, continue: next }, stopped.signal);
    const page = answer.ok ? readPage(answer.value, read) : answer.error;
    if ('kind' in page) feed({ kind: purpose === 'fill' ? 'page-failed' : 'check-failed', why: page });
    else feed({ kind: purpose === 'fill' ? 'page' : 'check-page', page });
  }

  async function watch({ since, timeoutSeconds }: Extract<ReflectorEffect<T>, { kind: 'watch' }>): Promise<void> {
    const own = new AbortController();
    watching = own;
    counts.watches += 1;
    const feedOwn = (event: ReflectorEvent<T>): void => {
      if (!own.signal.aborted) feed(event);
    };
    let why: Trouble | undefined;
    const ended = await client.watch(
      path,
      { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: since, timeoutSeconds },
      {
        signal: AbortSignal.any([own.signal, stopped.signal]),
        onOpen: () => feedOwn({ kind: 'opened' }),
        onLine(line) {
          if (why !== undefined) return;
          counts.events += 1;
          const event = readEvent(line, read);
          if (event.kind !== 'ended') return feedOwn(event);
          why = event.why;
          own.abort();
          feed(event);
        },
      },
    );
    if (why === undefined) feedOwn({ kind: 'ended', why: ended });
  }

  feed({ kind: 'start' });
  return {
    cache,
    complete: () => state.since !== undefined,
    ageMs: () => ageMs(state, clock.now()),
    counts,
    stop() {
      cancelWake();
      stopped.abort();
      watching.abort();
    },
  };
}

function readPage<T>(answer: unknown, read: (object: unknown) => T | undefined): Page<T> | Trouble {
  const { metadata, items } = objectOf(answer);
  const version = textOf(objectOf(metadata).resourceVersion);
  if (version === '' || !(Array.isArray(items) || items === null || items === undefined))
    return trouble('malformed', 'the answer is no list');
  const next = textOf(objectOf(metadata).continue);
  return {
    items: listOf(items)
      .map(read)
      .filter((item) => item !== undefined),
    version,
    next: next === '' ? undefined : next,
  };
}

function readEvent<T>(line: string, read: (object: unknown) => T | undefined): ReflectorEvent<T> {
  let event: Readonly<Record<string, unknown>>;
  try {
    event = objectOf(JSON.parse(line));
  } catch {
    return { kind: 'ended', why: trouble('malformed', 'an event is not JSON') };
  }
  const object = objectOf(event.object);
  if (event.type === 'ERROR')
    return { kind: 'ended', why: troubleOf(numberOf(object.code), textOf(object.message) || textOf(object.reason)) };
  const version = textOf(objectOf(object.metadata).resourceVersion);
  if (version === '') return { kind: 'ended', why: trouble('malformed', 'an event names no version') };
  switch (event.type) {
    case 'BOOKMARK':
      return { kind: 'bookmark', version };
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'changed', change: 'put', version, item: read(object) };
    case 'DELETED':
      return { kind: 'changed', change: 'remove', version, item: read(object) };
    default:
      return { kind: 'ended', why: trouble('malformed', `an event of type ${String(event.type).slice(0, 40)}`) };
  }
}
