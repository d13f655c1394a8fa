import {
  ageMs,
  createCache,
  newReflector,
  type Pod,
  poolOf,
  type Reflector,
  type ReflectorEffect,
  type ReflectorEvent,
  resolveEndpoint,
  step,
  trouble,
  troubleOf,
  wakeAt,
} from '@sallyport/kube';
import { podScene } from '@sallyport/kube/testing';
import { type Instant, later } from '@sallyport/model';
import { LOOK_STANDS_MS } from '../live-look.ts';
import type { History, Truth } from './history.ts';
import { truthOf } from './history.ts';

/** How often, of 1, each of it happens; to each event or each second. */
export interface ReplayFaults {
  /** An event is never told. */
  readonly drop?: number;
  /** The stream says nothing for some seconds, and then all of it. */
  readonly delay?: number;
  /** An earlier event is told once more. */
  readonly repeat?: number;
  /** The stream breaks; the next one goes on where the last event was. */
  readonly restart?: number;
  /** And the next one begins with events that were told long ago, in their order, as a server does that came back older. */
  readonly rewind?: number;
  /** And the next list comes from a server that lags behind. */
  readonly lag?: number;
  /** History is forgotten: 410. */
  readonly compact?: number;
}

export interface Replayed {
  /** What each Pod resolved to in the end, and what it should. */
  readonly resolved: readonly string[];
  readonly expected: readonly string[];
  /** Answers that had not been true for longer than anything stands. */
  readonly untrusted: readonly string[];
  readonly differences: number;
  readonly lists: number;
}

const TICK_MS = 1_000;
const REWOUND_VERSIONS = 6;
const CHECK_EACH_MS = 120_000;
/** After the last fault: a stale list refused some times, a self-check, and a look. */
const CALM_MS = 420_000;

/** Replays a history against the production's decisions: reflector, cache, index, claims and resolution, on virtual time. */
export function replay(history: History, faults: ReplayFaults, random: () => number): Replayed {
  const truth = truthOf(history);
  const happens = (chance = 0): boolean => random() < chance;
  const cache = createCache<Pod>();
  const scene = podScene();
  cache.onChange((changes) => void scene.apply(...changes));
  const looks = new Map<string, { readonly at: number; readonly ips: string }>();
  const untrusted: string[] = [];
  let state: Reflector<Pod> = newReflector();
  let now = 0 as Instant;
  let stream: { cursor: number; open: boolean; quietUntil: number; told: ReflectorEvent<Pod>[] } | undefined;
  let answers: { readonly at: number; readonly event: () => ReflectorEvent<Pod> }[] = [];
  let forgotten = false;
  let differences = 0;
  let lists = 0;
  const faultsEnd = history.endsAt;
  const isCalm = (): boolean => now > faultsEnd;

  function feed(event: ReflectorEvent<Pod>): void {
    const stepped = step(state, event, { now, random: random(), checkEveryMs: CHECK_EACH_MS });
    state = stepped.state;
    for (const effect of stepped.effects) act(effect);
  }

  function act(effect: ReflectorEffect<Pod>): void {
    switch (effect.kind) {
      case 'list': {
        if (effect.purpose === 'fill') lists += 1;
        const lag = !isCalm() && happens(faults.lag) ? 20 : 0;
        const kind = effect.purpose === 'fill' ? 'page' : 'check-page';
        answers.push({
          at: now + TICK_MS,
          event() {
            const version = Math.max(1, truth.versionAt(now) - lag);
            return { kind, page: { items: truth.podsAt(version), version: String(version), next: undefined } };
          },
        });
        return;
      }
      case 'watch': {
        const since = Number(effect.since);
        const cursor = !isCalm() && happens(faults.rewind) ? Math.max(1, since - REWOUND_VERSIONS) : since;
        stream = { cursor, open: false, quietUntil: 0, told: [] };
        const own = stream;
        answers.push({
          at: now + TICK_MS,
          event: () => {
            if (own !== stream) return { kind: 'tick' };
            if (forgotten) {
              forgotten = false;
              stream = undefined;
              return { kind: 'ended', why: troubleOf(410, 'too old') };
            }
            own.open = true;
            return { kind: 'opened' };
          },
        });
        return;
      }
      case 'stop-watch':
        stream = undefined;
        return;
      case 'replace':
        return cache.replace(effect.items, effect.version);
      case 'put':
        return cache.put(effect.item);
      case 'remove':
        return cache.remove(effect.item);
      case 'compare': {
        const found = cache.check(effect.items, effect.version);
        differences += found.missing + found.behind + found.extra;
        return;
      }
      case 'say':
        return;
    }
  }

  function stir(): void {
    if (stream === undefined || !stream.open) return;
    if (!isCalm()) {
      forgotten ||= happens(faults.compact);
      if (happens(faults.delay)) stream.quietUntil = now + TICK_MS * (1 + Math.floor(random() * 30));
      if (happens(faults.restart)) {
        stream = undefined;
        return feed({ kind: 'ended', why: trouble('unreachable', 'reset') });
      }
    }
    if (now < stream.quietUntil) return;
    for (const { version, change, pod } of truth.between(stream.cursor, truth.versionAt(now))) {
      stream.cursor = version;
      if (!isCalm() && happens(faults.drop)) continue;
      const event: ReflectorEvent<Pod> = { kind: 'changed', change, version: String(version), item: pod };
      feed(event);
      stream.told.push(event);
      const again = stream.told[Math.floor(random() * stream.told.length)];
      if (!isCalm() && happens(faults.repeat) && again !== undefined) feed(again);
    }
    // About each half minute, as servers do.
    if (now % 30_000 === 0) feed({ kind: 'bookmark', version: String(Math.max(stream.cursor, 1)) });
  }

  /** As the driver: from what is held, and from a look at the Pod itself where the last one is old. */
  function resolve(uid: string): string {
    const view = () => {
      const pod = scene.index.pod(uid);
      const pool = pod === undefined ? undefined : poolOf(pod, scene.index, scene.claims, { sidecars: false });
      return resolveEndpoint(
        {
          ageMs: ageMs(state, now),
          pod,
          pool: pool ?? { ok: false, error: 'no such Pod' },
          usersOf: scene.index.usersOf,
          slice: undefined,
        },
        { poolId: 'blue' as never, supervisorUid: uid, appPort: 8443 },
        'ipv4',
      );
    };
    const answer = view();
    if (!answer.ok) return 'none';
    const ips = scene.index.pod(uid)?.ips.join() ?? '';
    const looked = looks.get(uid);
    if (looked === undefined || looked.ips !== ips || now >= looked.at + LOOK_STANDS_MS) {
      const live = truth.podsAt(truth.versionAt(now)).find((each) => each.uid === uid);
      if (live === undefined || live.deleting || live.terminal || !live.ready || live.ips.join() !== ips) return 'none';
      looks.set(uid, { at: now, ips });
    }
    return answer.value.address;
  }

  feed({ kind: 'start' });
  for (; now < faultsEnd + CALM_MS; now = later(now, TICK_MS)) {
    const due = answers.filter(({ at }) => at <= now);
    answers = answers.filter(({ at }) => at > now);
    for (const { event } of due) feed(event());
    const wake = wakeAt(state);
    if (wake !== undefined && wake <= now) feed({ kind: 'tick' });
    stir();
    for (const uid of truth.uids) {
      const address = resolve(uid);
      if (address !== 'none' && !truth.wasServing(uid, address, now - LOOK_STANDS_MS, now))
        untrusted.push(`${now} ${uid} ${address}`);
    }
  }
  return {
    resolved: truth.uids.map((uid) => `${uid} ${resolve(uid)}`),
    expected: truth.uids.map((uid) => `${uid} ${truth.servesAt(uid, now)}`),
    untrusted,
    differences,
    lists,
  };
}

export type { Truth };
