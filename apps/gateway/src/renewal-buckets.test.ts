import { expect, test } from 'vitest';
import { BUCKET_SESSIONS_MAX, createRenewalBuckets } from './renewal-buckets.ts';
import type { LiveSession } from './sessions.ts';

const session = (): LiveSession => ({}) as LiveSession;
const many = (count: number): LiveSession[] => Array.from({ length: count }, session);

function world(live: LiveSession[]) {
  const buckets = createRenewalBuckets(() => live);
  const round = (): number[] => Array.from({ length: buckets.plan() }, (_, bucket) => buckets.of(bucket).length);
  return { buckets, round };
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
