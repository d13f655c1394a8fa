import { createFollower, type WatchMessage } from '@sallyport/catalog';
import type { Host, Instant } from '@sallyport/model';
import type { PublishedRecord } from '@sallyport/wire';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RecordEnd } from './endings.ts';
import { createPublished, type Published, type Resting } from './published.ts';
import { UNLISTED } from './roster.ts';
import { recordOf } from './testing/records.ts';

const NOW = 0 as Instant;
const [WEB, API] = ['web.apps.test', 'api.apps.test'] as [Host, Host];

let published: Published;
let say: (message: WatchMessage<PublishedRecord>) => void;
let token: number;
let ends: RecordEnd[];

beforeEach(() => {
  const follower = createFollower<PublishedRecord>();
  published = createPublished(follower);
  follower.opened(NOW);
  say = (message) => published.apply(follower.received({ pingId: 0n, message }, NOW), NOW);
  say({ kind: 'snapshot', pages: [], removed: [], token: '0' });
  token = 0;
  ends = [];
});

function change(tombstones: readonly string[], ...upserts: readonly PublishedRecord[]): void {
  token += 1;
  say({
    kind: 'delta',
    from: String(token - 1),
    to: String(token),
    tombstones: tombstones.map((recordId) => ({ recordId, reason: 'withdrawn' })),
    upserts: upserts.map((record) => ({ record, ttlMs: 13_000 })),
  });
}

const as = (recordId: string, record: PublishedRecord): PublishedRecord => ({ ...record, recordId });

/** Goes to where the host is, and leaves as often as it is told to, as a connection does that is being dialled. */
function follow(host: Host): void {
  const place = published.find(host, NOW);
  if (place.kind !== 'record') return;
  const resting: Resting = {
    slot: UNLISTED,
    on: undefined,
    recordEnded(end) {
      ends.push(end);
      published.leave(place.record, resting);
      follow(host);
    },
  };
  published.rest(place.record, resting);
}

test('a name that nobody publishes is not said to be unknown where records found no room', () => {
  const follower = createFollower<PublishedRecord>([], { recordsMax: 1, bytesMax: 10_000 });
  const narrow = createPublished(follower);
  follower.opened(NOW);
  const tell = (...hosts: readonly Host[]): void => {
    const shown = hosts.map((host) => ({ record: recordOf(host, 1), ttlMs: 13_000 }));
    narrow.apply(
      follower.received({ pingId: 0n, message: { kind: 'snapshot', pages: [shown], removed: [], token: '0' } }, NOW),
      NOW,
    );
  };
  tell(WEB, API);
  expect([narrow.find(WEB, NOW).kind, narrow.find(API, NOW).kind]).toEqual(['record', 'awaited']);
  tell(WEB);
  expect(narrow.find(API, NOW).kind).toBe('unknown');
});

describe('who rests on a record hears of its end', () => {
  test('also after it followed the record to another endpoint within the same message', () => {
    change([], recordOf(WEB, 1));
    follow(WEB);
    change([], recordOf(WEB, 2));
    change([`sb/${WEB}`]);
    expect(ends).toEqual(['moved', 'withdrawn']);
  });

  test('when the record is another host’s from now on, at the same endpoint', () => {
    change([], as('one', recordOf(WEB, 1)));
    follow(WEB);
    change([], as('one', recordOf(API, 1)));
    expect([ends, published.find(WEB, NOW).kind, published.find(API, NOW).kind]).toEqual([['moved'], 'unknown', 'record']);
  });

  test('when the host has another record beside it from now on, and then of that one', () => {
    change([], as('one', recordOf(WEB, 1)));
    follow(WEB);
    change([], as('two', recordOf(WEB, 1)));
    change(['two']);
    expect([ends, published.find(WEB, NOW).kind]).toEqual([['moved', 'withdrawn'], 'unknown']);
  });

  test('of the last of two records of one host that came together', () => {
    change([], as('one', recordOf(WEB, 1)), as('two', recordOf(WEB, 2)));
    follow(WEB);
    change(['one']);
    expect(ends).toEqual([]);
    change(['two']);
    expect(ends).toEqual(['withdrawn']);
  });
});
