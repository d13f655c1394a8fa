import { describe, expect, test } from 'vitest';
import { type Began, begunAfterShown, begunAgainstOwnKnowledge, type Heard, type Shown } from './stale.ts';

const began = (endpoint: string, at: number): Began => ({ edge: 'edge-1', host: 'web', endpoint, at });
const heard = (at: number, endpoint?: string): Heard => ({
  edge: 'edge-1',
  host: 'web',
  at,
  ...(endpoint === undefined ? {} : { endpoint }),
});
const look = (at: number, endpoint: string, tookMs = 5): Shown => ({ at, answeredAt: at + tookMs, endpoint });

describe('a connection begun against what the edge had heard', () => {
  const rows: [title: string, heard: Heard[], one: Began, isStale: boolean][] = [
    ['at the place heard last', [heard(0, 'old')], began('old', 900), false],
    ['at the old place, before the new one is heard', [heard(0, 'old'), heard(1_000, 'new')], began('old', 980), false],
    ['at the old place, in that moment', [heard(0, 'old'), heard(1_000, 'new')], began('old', 1_008), false],
    ['at the new place, in that moment', [heard(0, 'old'), heard(1_000, 'new')], began('new', 993), false],
    ['at the old place, after it', [heard(0, 'old'), heard(1_000, 'new')], began('old', 1_011), true],
    ['at the old place, after it was taken away', [heard(0, 'old'), heard(1_000)], began('old', 1_011), true],
    ['at a place that came back', [heard(0, 'old'), heard(500), heard(1_000, 'old')], began('old', 1_100), false],
    ['at a place nobody spoke of', [], began('old', 0), true],
    ['of another host', [{ ...heard(0, 'old'), host: 'other' }], began('old', 100), true],
    ['of another edge', [{ ...heard(0, 'old'), edge: 'edge-2' }], began('old', 100), true],
  ];
  test.each(rows)('%s', (_title, known, one, isStale) =>
    expect(begunAgainstOwnKnowledge([one], known)).toEqual(isStale ? [one] : []),
  );
});

describe('a connection begun long after discovery had shown another place', () => {
  const moved = [look(0, 'old'), look(100, 'old'), look(200, 'new'), look(300, 'new'), look(1_400, 'new')];
  const rows: [title: string, shown: Shown[], one: Began, isStale: boolean][] = [
    ['at the old place, within the edge’s way to hear of it', moved, began('old', 1_200), false],
    ['at the old place, later', moved, began('old', 1_206), true],
    ['at the new place, later', moved, began('new', 2_000), false],
    ['at a place that was never shown', moved, began('other', 2_000), false],
    ['at the old place, which is shown again', [...moved, look(1_500, 'old')], began('old', 1_450), false],
    // A busy machine looks seldom: the record moved at some moment between 0 and 1,400, and may have moved just after.
    ['at the old place, with no look near before it', [look(0, 'old'), look(1_400, 'new')], began('old', 1_100), false],
    ['at the old place, where the newer answer was slow', [look(0, 'old'), look(100, 'new', 950)], began('old', 1_200), false],
  ];
  test.each(rows)('%s', (_title, shown, one, isStale) => expect(begunAfterShown([one], shown)).toEqual(isStale ? [one] : []));
});
