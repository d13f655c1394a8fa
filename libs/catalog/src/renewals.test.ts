import { CHALLENGE_EVERY_MS } from '@sallyport/authority';
import type { Instant } from '@sallyport/model';
import { expect, test } from 'vitest';
import type { Listing } from './listing.ts';
import { createRenewals } from './renewals.ts';

const ENDS = 100_000;
const listing = (id: number, until: number, renewedBy = 'g.1'): Listing =>
  ({ record: { recordId: `sb${id}/web`, workspace: 'w', renewedBy }, until: until as Instant, shown: true }) as Listing;

const digestOf = (listings: readonly Listing[]) => {
  const renewals = createRenewals();
  renewals.count(listings);
  return { floors: Object.fromEntries(renewals.digest.floors), below: [...renewals.digest.below.keys()] };
};

test('ten vectors spread over a beat, as of a large gateway: one floor, and nobody is named', () => {
  const spread = Array.from({ length: 10 }, (_none, bucket) => listing(bucket, ENDS + (bucket * CHALLENGE_EVERY_MS) / 10));
  expect(digestOf(spread)).toEqual({ floors: { 'g.1': ENDS }, below: [] });
});

test('one that was tried again a second later moves nobody', () => {
  const late = [listing(1, ENDS), listing(2, ENDS + CHALLENGE_EVERY_MS + 1_000)];
  expect(digestOf(late)).toEqual({ floors: { 'g.1': ENDS }, below: [] });
});

test('a record that missed its turn is named, and does not hold the floor down', () => {
  const missed = [listing(1, ENDS - CHALLENGE_EVERY_MS), listing(2, ENDS), listing(3, ENDS + 4_000)];
  expect(digestOf(missed)).toEqual({ floors: { 'g.1': ENDS }, below: ['sb1/web'] });
});

test('each gateway has a floor of its own', () => {
  expect(digestOf([listing(1, ENDS), listing(2, ENDS - 50_000, 'g.2')])).toEqual({
    floors: { 'g.1': ENDS, 'g.2': ENDS - 50_000 },
    below: [],
  });
});
