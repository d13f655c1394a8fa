import { expect, test } from 'vitest';
import { judge, type Outage, type Sample } from './judge.ts';
import { fencedKey, type Truth } from './truth.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const HOST = 'team--box--web.apps.test';
/** One sandbox: owned under epoch 1 up to 50 s, and under epoch 2 from then on; renewed each 5 s. */
const stands = { sandboxId: 'box', workspace: 'team', host: HOST };
const truth: Truth = {
  standings: [
    { ...stands, endpoint: 'one', epoch: 1n, sessionKey: 's1', from: 0, to: 50_000 },
    { ...stands, endpoint: 'two', epoch: 2n, sessionKey: 's2', from: 50_000, to: FOREVER },
  ],
  grants: [
    { principal: 'reader', workspaces: new Set(['team']), from: 0, to: 80_000 },
    { principal: 'reader', workspaces: new Set(['other']), from: 80_000, to: FOREVER },
  ],
  renewals: new Map([
    ['s1', [0, 5_000, 10_000, 15_000, 20_000, 40_000, 45_000]],
    ['s2', Array.from({ length: 20 }, (_none, index) => 50_000 + index * 5_000)],
  ]),
  fenced: new Set(),
};
const fenced: Truth = { ...truth, fenced: new Set([fencedKey('box', 1n)]) };
const one = { host: HOST, workspace: 'team', endpoint: 'one', epoch: 1n };
const two = { host: HOST, workspace: 'team', endpoint: 'two', epoch: 2n };
const held = (at: number, records: Sample['records'], more: Partial<Sample> = {}): Sample => ({
  ...{ by: 'r', principal: 'reader', askedAt: at, at, records, ofHost: undefined, darkSince: undefined },
  ...more,
});

const rows: [title: string, sample: Sample, violation: RegExp | undefined, given?: { truth?: Truth; outages?: Outage[] }][] = [
  ['the owner that owns', held(12_000, [one]), undefined],
  ['the owner before, while the change may be on its way', held(50_900, [one]), undefined],
  ['the owner before, too long after', held(51_500, [one]), /it had ended 1500 ms before/],
  ['the owner before, by a reader that hears nothing', held(57_000, [one], { darkSince: 50_100 }), undefined],
  [
    'an owner that was fenced, once the next has begun, whatever it hears',
    held(50_100, [one], { darkSince: 49_000 }),
    /fenced/,
    { truth: fenced },
  ],
  ['an owner that there never was', held(12_000, [{ ...one, endpoint: 'three' }]), /never had it/],
  ['an epoch that is still to come', held(12_000, [two]), /came about 38000 ms later/],
  ['a record past its renewal', held(33_100, [one]), /renewed 13100 ms ago/],
  ['a record just before that', held(32_900, [one]), undefined],
  ['a workspace that is granted no more, while it may be on its way', held(80_900, [two]), undefined],
  ['a workspace that is granted no more', held(81_100, [two]), /may not see team/],
  ['nothing, where something stands', held(12_000, []), /stands and is not there/],
  ['nothing, where it has only just come about', held(50_900, []), undefined],
  ['nothing, where the last renewal is so old that it may have run out', held(29_000, []), undefined],
  ['nothing, to a reader that hears nothing', held(12_000, [], { darkSince: 11_000 }), undefined],
  ['nothing, while there is no store', held(12_000, []), undefined, { outages: [{ from: 11_000, to: 13_000 }] }],
  ['nothing of a host that was not asked for', held(12_000, [], { ofHost: 'another' }), undefined],
  ['nothing of the host that was asked for', held(12_000, [], { ofHost: HOST }), /is not there/],
];
test.each(rows)('%s', (_title, sample, violation, given = {}) => {
  const found = judge(given.truth ?? truth, [sample], given.outages ?? []);
  if (violation === undefined) expect(found).toEqual([]);
  else expect(found[0]).toMatch(violation);
});
