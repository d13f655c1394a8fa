import type { Sent } from '@sallyport/catalog';
import { describe, expect, test } from 'vitest';
import * as pb from './gen/sallyport/discovery/v1/discovery.ts';
import { type PublishedRecord, snapshotPartMessage, watchResponseMessage } from './watch.ts';
import { type SnapshotMessage, snapshotResponseBytes, watchResponseBytes } from './watch-bytes.ts';

const record = (name: string): PublishedRecord => ({
  recordId: `sb-${name}/web`,
  workspace: 'team' as PublishedRecord['workspace'],
  sandbox: name as PublishedRecord['sandbox'],
  service: 'web' as PublishedRecord['service'],
  host: `web--${name}--team.apps.test` as PublishedRecord['host'],
  url: `https://web--${name}--team.apps.test/`,
  endpoint: { address: 'fd00::1', port: 8_443, podUid: 'pod' },
  ownerEpoch: 7n as PublishedRecord['ownerEpoch'],
  configRevision: 0n as PublishedRecord['configRevision'],
  renewedBy: 'g.1',
});
const a = record('a');
const long = { ...record('b'), url: `https://${'b'.repeat(200)}.test/` };
/** Each needs one byte more than the one before it. */
const LIVES = [0, 1, 127, 128, 15_000, 16_384, 2 ** 31];

const snapshot = (count: number, token: string | undefined): SnapshotMessage => ({
  kind: 'snapshot',
  pages: [0, 1].map((from) =>
    Array.from({ length: count }, (_none, index) => ({ record: index % 2 === from ? a : long, ttlMs: index })),
  ),
  removed: count === 1 ? ['gone/web'] : [],
  token,
});
const sent: [string, Sent<PublishedRecord>['message']][] = [
  ['an empty snapshot', snapshot(0, 'token')],
  ['one record and one removed', snapshot(1, undefined)],
  ['a hundred records', snapshot(100, 'token')],
  ...LIVES.map((ttlMs): [string, SnapshotMessage] => [
    `${ttlMs} ms left`,
    { ...snapshot(0, ''), pages: [[{ record: a, ttlMs }]] },
  ]),
  ['a delta of nothing', { kind: 'delta', from: 'a', to: 'a', tombstones: [], upserts: [] }],
  [
    'a delta',
    {
      kind: 'delta',
      from: 'a',
      to: undefined,
      tombstones: [{ recordId: 'gone/web', reason: 'expired' }],
      upserts: [
        { record: a, ttlMs: 5 },
        { record: long, ttlMs: 9_000 },
      ],
    },
  ],
  ['a renewal', { kind: 'renew', floors: [{ renewedBy: 'g.1', ttlMs: 5 }], singles: [], isLast: true }],
  ['a heartbeat', { kind: 'heartbeat', token: 't', lagMs: 1, hasAuthority: true }],
  ['a resync', { kind: 'resync', reason: 'scope', forget: true }],
];

describe.each([0n, 1n, 2n ** 64n - 1n])('behind ping %s', (pingId) => {
  test.each(sent)('%s reads as if it had been encoded whole', (_title, message) => {
    const decoded = pb.WatchResponse.decode(watchResponseBytes({ pingId, message }));
    expect(decoded).toEqual(watchResponseMessage({ pingId, message }));
  });
});

test('a part of GetSnapshot too', () => {
  for (const message of [snapshot(0, undefined), snapshot(3, 'token')])
    expect(pb.GetSnapshotResponse.decode(snapshotResponseBytes(message))).toEqual({ part: snapshotPartMessage(message) });
});

test('a record that was replaced is encoded anew', () => {
  const moved = { ...a, endpoint: { ...a.endpoint, port: 1 } };
  const bytes = [a, moved].map((each) =>
    watchResponseBytes({ pingId: 0n, message: { ...snapshot(0, ''), pages: [[{ record: each, ttlMs: 1 }]] } }),
  );
  expect(bytes[0]).not.toEqual(bytes[1]);
});
