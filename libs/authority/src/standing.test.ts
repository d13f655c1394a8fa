import { LONG_AGO, NEVER } from '@sallyport/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalAt, type Standing, servesUntil, startStanding } from './standing.ts';
import { at } from './testing/index.ts';

const shared: Standing = {
  ...startStanding('shared'),
  acknowledged: true,
  freshUntil: at(30_000),
  leaseUntil: at(15_000),
};
const dedicated: Standing = { ...shared, mode: 'dedicated', leaseUntil: LONG_AGO };

const rows: [title: string, standing: Standing, now: number, want: string][] = [
  ['shared: serves while fresh and leased', shared, 0, 'serves'],
  ['shared: to the last millisecond of its lease', shared, 14_999, 'serves'],
  ['shared: not at its end', shared, 15_000, 'lease_expired'],
  ['shared: not once stale, whatever the lease', { ...shared, freshUntil: at(5_000) }, 5_000, 'not_fresh'],
  ['shared: not without a lease', { ...shared, leaseUntil: LONG_AGO }, 0, 'lease_expired'],
  ['dedicated: serves by freshness alone', dedicated, 29_999, 'serves'],
  ['dedicated: not once stale', dedicated, 30_000, 'not_fresh'],
  ['not before the owner is acknowledged', { ...shared, acknowledged: false }, 0, 'not_fresh'],
  ['not once released', { ...shared, released: true }, 0, 'draining'],
  ['not once stopped', { ...shared, running: false }, 0, 'draining'],
  ['a release is told even to those who come too late anyway', { ...shared, released: true }, 60_000, 'draining'],
  ['a new instance serves nothing', startStanding('shared'), 0, 'not_fresh'],
  ['nor does a dedicated one', startStanding('dedicated'), 0, 'not_fresh'],
];
test.each(rows)('%s', (_title, standing, now, want) => expect(refusalAt(standing, at(now)) ?? 'serves').toBe(want));

describe('what is open goes on until', () => {
  const until: [title: string, standing: Standing, want: number][] = [
    ['the lease ends', shared, 15_000],
    ['freshness ends, if that is sooner', { ...shared, freshUntil: at(5_000) }, 5_000],
    ['freshness ends, where there is no lease', dedicated, 30_000],
    ['the same after a release: only admission is exclusive', { ...shared, released: true }, 15_000],
    ['never, once another owns', { ...shared, acknowledged: false }, LONG_AGO],
    ['never, once stopped', { ...shared, running: false }, LONG_AGO],
  ];
  test.each(until)('%s', (_title, standing, want) => expect(servesUntil(standing)).toBe(want));
});

test('admission and forwarding agree: what is admitted may be forwarded, and what may not be forwarded is not admitted', () => {
  const instant = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(LONG_AGO, NEVER)).map((ms) => at(ms));
  const standing = fc.record({
    mode: fc.constantFrom('shared' as const, 'dedicated' as const),
    acknowledged: fc.boolean(),
    released: fc.boolean(),
    running: fc.boolean(),
    freshUntil: instant,
    leaseUntil: instant,
  });
  fc.assert(
    fc.property(standing, fc.integer({ min: 0, max: 20 }), (given, now) => {
      const admitted = refusalAt(given, at(now)) === undefined;
      expect(admitted).toBe(!given.released && now < servesUntil(given));
    }),
  );
});
