import { expect, test } from 'vitest';
import { BUCKET_SESSIONS_MAX, createRenewalBuckets } from './renewal-buckets.ts';
import type { LiveSession } from './sessions.ts';

const session = (): LiveSession => ({}) as LiveSession;
const many = (count: number): LiveSession[] => Array.from({ length: count }, session);

function world(live: LiveSession[]) {
  const looks = { count: 0 };
  const all = (): LiveSession[] => {
    looks.count += 1;
    return live;
  };
  // In these tests no two changes leave as many as there were.
  const buckets = createRenewalBuckets(all, () => live.length);
  const round = (): number[] => Array.from({ length: buckets.plan() }, (_, bucket) => buckets.of(bucket).length);
  return { buckets, round, looks };
}

test('no session still has one bucket: its echo is the clock of freshness', () => {
  expect(world([]).round()).toEqual([0]);
});

test('a bucket holds a thousand, and no more buckets are made than are needed', () => {
  expect(world(many(BUCKET_SESSIONS_MAX)).round()).toEqual([1_000]);
  expect(world(many(BUCKET_SESSIONS_MAX + 1)).round()).toEqual([1_000, 1]);
});

test('sessions stay where they are when others go', () => {
  const live = many(2_500);
  const { buckets, round } = world(live);
  round();
  const before = [0, 1, 2].map((bucket) => new Set(buckets.of(bucket)));
  live.splice(0, 300);
  round();
  for (const [bucket, held] of before.entries())
    expect(live.filter((one) => held.has(one) && !buckets.of(bucket).includes(one))).toEqual([]);
});

test('half empty buckets are given up, and nobody is lost', () => {
  const live = many(3_000);
  const { buckets, round } = world(live);
  round();
  live.splice(500, 2_000);
  expect(round()).toEqual([1_000]);
  expect(new Set(buckets.of(0))).toEqual(new Set(live));
});

test('whoever came since the last plan rides with the next vector that has room', () => {
  const live = many(10);
  const { buckets, round } = world(live);
  round();
  const late = session();
  live.push(late);
  expect(buckets.of(0)).toContain(late);
});

test('all of them are looked at only after one has come or gone', () => {
  const live = many(2_500);
  const { buckets, round, looks } = world(live);
  round();
  const before = looks.count;
  expect(round()).toEqual([1_000, 1_000, 500]);
  expect(looks.count).toBe(before);
  const late = session();
  live.push(late);
  round();
  expect(buckets.of(2)).toContain(late);
  expect(looks.count).toBeGreaterThan(before);
});

test('nobody is forgotten who finds no room until the next plan', () => {
  const live = many(1_000);
  const { buckets, round } = world(live);
  round();
  const late = session();
  live.push(late);
  expect(buckets.of(0)).not.toContain(late);
  expect(round()).toEqual([1_000, 1]);
  expect(buckets.of(1)).toEqual([late]);
});
