import { createManualClock, type ManualClock } from '@sallyport/process/manual-clock';
import { afterEach, describe, expect, test } from 'vitest';
import { isList, isWatch } from '../testing/kube-api/faults.ts';
import { putPod } from '../testing/kube-api/pods.ts';
import { EXPIRED_CONTINUE, status } from '../testing/kube-api/status.ts';
import { type KubeStage, openKubeStage } from '../testing/kube-stage.ts';
import { until } from '../testing/until.ts';
import type { ClientLimits } from './client.ts';
import { type Followed, follow } from './follow.ts';
import { metaOf } from './objects.ts';
import { SILENCE_MS } from './reflector-limits.ts';

type Item = { uid: string; version: string; name: string };
let stage: KubeStage;
let followed: Followed<Item>;
let said: string[];
afterEach(async () => {
  followed.stop();
  await stage.close();
});

async function begin(
  podCount = 2,
  before: (stage: KubeStage) => void = () => undefined,
  limits?: ClientLimits,
): Promise<ManualClock> {
  stage = await openKubeStage();
  for (let n = 0; n < podCount; n += 1) putPod(stage.api.store, `p${n}`);
  before(stage);
  said = [];
  const clock = createManualClock();
  followed = follow<Item>({
    client: (await stage.connect(stage.clock, limits)).client,
    path: '/api/v1/pods',
    read: metaOf,
    clock,
    random: () => 0,
    checkEveryMs: 600_000,
    onSay: (what) => said.push(what),
  });
  return clock;
}
/** Lets time pass until it is so, with room for what comes over the network. */
async function passing(clock: ManualClock, holds: () => boolean, stepMs = 1_000): Promise<void> {
  while (!holds()) {
    await clock.advanceAsync(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
const names = (): string[] => [...followed.cache.items.values()].map(({ name }) => name).sort();
const watching = (): Promise<void> => until('a watch', () => stage.api.watches.count === 1);

describe('a list', () => {
  test('is taken page by page, as one', async () => {
    await begin(1_200);
    await watching();
    expect(followed.cache.items.size).toBe(1_200);
    expect(stage.api.requests.filter((request) => request.includes('limit=500'))).toHaveLength(3);
    expect(followed.counts.lists).toBe(1);
  });
  test('whose cursor expires begins anew', async () => {
    await begin(1_200, ({ api }) =>
      api.faults.on(({ query }) => query.has('continue'), { kind: 'status', status: EXPIRED_CONTINUE }),
    );
    await watching();
    expect([followed.cache.items.size, followed.counts.lists]).toEqual([1_200, 2]);
  });
  test('whose pages are larger than what is taken at once is asked for again in smaller ones', async () => {
    await begin(1_200, () => undefined, { bodyBytesMax: 100_000, wholeMs: 30_000 });
    await watching();
    expect([followed.cache.items.size, followed.counts.lists]).toEqual([1_200, 2]);
    expect(said).toEqual(['cannot list: the answer has more than 100000 bytes']);
  });
  test.each([
    ['fails', { kind: 'status', status: status(500, 'InternalError', 'x') }],
    ['is reset', { kind: 'reset' }],
    ['is no JSON', { kind: 'garbage' }],
    ['is refused', { kind: 'status', status: status(403, 'Forbidden', 'x') }],
  ] as const)('that %s is made again', async (_title, fault) => {
    const clock = await begin(2, ({ api }) => api.faults.on(isList, fault));
    await until('it to be said', () => said.some((what) => what.startsWith('cannot list')));
    expect(followed.complete()).toBe(false);
    clock.advance(30_000);
    await watching();
    expect(names()).toEqual(['p0', 'p1']);
  });
});

describe('a watch', () => {
  const rows: [title: string, act: () => void, lists: number][] = [
    ['ends', () => stage.api.watches.end(), 1],
    ['is reset', () => stage.api.watches.break(), 1],
    ['ends amid a line', () => stage.api.watches.truncate(), 1],
    ['says that the server fails', () => stage.api.watches.fail(500, 'InternalError'), 1],
    ['says that history is gone', () => stage.api.watches.fail(410, 'Expired'), 2],
    [
      'cannot be opened again at once',
      () => [
        stage.api.faults.on(isWatch, { kind: 'status', status: status(429, 'TooManyRequests', 'x', 1) }),
        stage.api.watches.end(),
      ],
      1,
    ],
  ];
  test.each(rows)('that %s goes on, and nothing is missed', async (_title, act, lists) => {
    const clock = await begin();
    await watching();
    act();
    await until('its end', () => stage.api.watches.count === 0 || followed.counts.watches > 1);
    stage.api.store.remove('pods', 'default', 'p0');
    putPod(stage.api.store, 'p9');
    await passing(clock, () => names().join() === 'p1,p9');
    expect(followed.counts.lists).toBe(lists);
  });
  test('goes on past the largest Pod that there can be, which JSON makes six times as large', async () => {
    await begin();
    await watching();
    // An API server writes each < as \u003c; this one leaves it.
    putPod(stage.api.store, 'huge', { annotations: { services: '<<<<<<'.repeat(1_400_000) } });
    putPod(stage.api.store, 'p9');
    await until('the Pods', () => names().includes('p9'));
    expect([names(), followed.counts.watches, said]).toEqual([['huge', 'p0', 'p1', 'p9'], 1, []]);
  });
  test('whose events come twice changes nothing twice', async () => {
    await begin();
    await watching();
    let changes = 0;
    followed.cache.onChange(() => {
      changes += 1;
    });
    stage.api.watches.repeat(3);
    putPod(stage.api.store, 'p9');
    stage.api.store.remove('pods', 'default', 'p0');
    await until('all events', () => followed.counts.events === 6);
    expect([names(), changes]).toEqual([['p1', 'p9'], 2]);
  });
  test('that falls silent is opened anew after 45 seconds, and nothing is missed', async () => {
    const clock = await begin();
    await watching();
    await until('its opening', () => followed.ageMs() !== undefined);
    stage.api.watches.silence();
    putPod(stage.api.store, 'p9');
    clock.advance(SILENCE_MS - 1);
    expect(followed.counts.watches).toBe(1);
    clock.advance(1);
    await until('the Pod', () => names().includes('p9'));
    expect([followed.counts.lists, followed.counts.watches]).toEqual([1, 2]);
  });
  test('asks for bookmarks and an end between five and ten minutes', async () => {
    await begin();
    await watching();
    expect(stage.api.requests.at(-1)).toMatch(/watch=true&allowWatchBookmarks=true&resourceVersion=\d+&timeoutSeconds=300$/);
  });
  test('goes on from a bookmark', async () => {
    const clock = await begin();
    await watching();
    stage.api.store.compact();
    stage.api.watches.bookmark();
    await until('the bookmark', () => followed.counts.events === 1);
    stage.api.watches.break();
    await passing(clock, () => followed.counts.watches === 2);
    await watching();
    putPod(stage.api.store, 'p9');
    await until('the Pod', () => names().includes('p9'));
    expect(followed.counts.lists).toBe(1);
  });
});

test('the self-check finds what was never told, and mends it', async () => {
  const clock = await begin();
  await watching();
  stage.api.watches.lose(({ type }) => type === 'DELETED');
  stage.api.store.remove('pods', 'default', 'p0');
  stage.api.watches.lose(() => false);
  await passing(
    clock,
    () => {
      stage.api.watches.bookmark();
      return followed.counts.checks > 0;
    },
    30_000,
  );
  await passing(clock, () => followed.counts.differences > 0);
  expect([names(), followed.counts.differences]).toEqual([['p1'], 1]);
});

test('there are as many lists as starts, cursors lost and self-checks', async () => {
  const clock = await begin();
  const lost = 3;
  for (let round = 1; round <= lost; round += 1) {
    await passing(clock, () => stage.api.watches.count === 1);
    const { watches, checks } = followed.counts;
    stage.api.watches.break();
    await passing(clock, () => followed.counts.watches > watches && stage.api.watches.count === 1);
    stage.api.watches.fail(410, 'Expired');
    await passing(clock, () => followed.counts.lists === 1 + round && stage.api.watches.count === 1);
    await passing(
      clock,
      () => {
        stage.api.watches.bookmark();
        return followed.counts.checks > checks;
      },
      30_000,
    );
  }
  const asked = (): number => stage.api.requests.filter((request) => request.includes('limit=')).length;
  await until('the last list', () => asked() === 1 + lost + lost);
  expect(followed.counts).toMatchObject({ lists: 1 + lost, checks: lost, differences: 0 });
  expect(asked()).toBe(1 + lost + lost);
});
