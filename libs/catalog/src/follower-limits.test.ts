import type { Host, Instant, WorkspaceId } from '@sallyport/model';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFollower, type Effect, type Follower } from './follower.ts';
import type { Readable, WatchMessage } from './messages.ts';
import { bytesOf, type FollowerLimits } from './room.ts';

const NOW = 0 as Instant;
const ROOMY: FollowerLimits = { recordsMax: 100, bytesMax: 1_000_000 };

const record = (name: string, renewedBy = 'gw.1'): Readable => ({
  recordId: name,
  workspace: 'team' as WorkspaceId,
  host: `${name}.apps.test` as Host,
  renewedBy,
});
const timed = (...names: readonly string[]) => names.map((name) => ({ record: record(name), ttlMs: 13_000 }));

let follower: Follower<Readable>;
let effects: Effect<Readable>[];
let token: number;

function follow(limits: Partial<FollowerLimits>): void {
  follower = createFollower<Readable>([], { ...ROOMY, ...limits });
  follower.opened(NOW);
  token = 0;
}
function say(message: WatchMessage<Readable>): void {
  effects = [...follower.received({ pingId: 0n, message }, NOW)];
}
const snapshot = (names: readonly string[], isWhole = true, removed: readonly string[] = []): void =>
  say({ kind: 'snapshot', pages: [timed(...names)], removed, token: isWhole ? '0' : undefined });
function change(
  upserts: readonly { record: Readable; ttlMs: number }[],
  tombstones: readonly string[] = [],
  isWhole = true,
): void {
  say({
    kind: 'delta',
    from: String(token),
    to: isWhole ? String(token + 1) : undefined,
    tombstones: tombstones.map((recordId) => ({ recordId, reason: 'withdrawn' })),
    upserts,
  });
  if (isWhole) token += 1;
}
const held = (): string[] => [...follower.records(NOW)].map(({ recordId }) => recordId).sort();

describe('the records of a follower', () => {
  beforeEach(() => follow({ recordsMax: 2 }));

  test('are all held, as many as there may be', () => {
    snapshot(['a', 'b']);
    expect([held(), follower.leftOut]).toEqual([['a', 'b'], 0]);
  });
  test('are left out of a snapshot that has one more', () => {
    snapshot(['a', 'b', 'c']);
    expect([held(), follower.leftOut]).toEqual([['a', 'b'], 1]);
  });
  test('are left out of a snapshot that has one more in its parts, less what was taken back', () => {
    snapshot(['a', 'b'], false);
    snapshot(['c'], true, ['a']);
    expect([held(), follower.leftOut]).toEqual([['b'], 1]);
  });
  test('are left out of a change that has one more', () => {
    snapshot(['a', 'b']);
    change(timed('c'));
    expect([held(), effects, follower.leftOut]).toEqual([['a', 'b'], [], 1]);
  });
  test('are taken in the place of one that goes', () => {
    snapshot(['a', 'b']);
    change(timed('c'), ['a']);
    expect([held(), follower.leftOut]).toEqual([['b', 'c'], 0]);
  });
  test('are taken in the place of the same, as it was', () => {
    snapshot(['a', 'b']);
    change([{ record: record('a', 'gw.2'), ttlMs: 13_000 }]);
    expect([held(), follower.leftOut]).toEqual([['a', 'b'], 0]);
  });
  test('are taken when a new snapshot fits, which the next stream asks for', () => {
    snapshot(['a', 'b', 'c']);
    expect(follower.opened(NOW).resumeToken).toBe('');
    snapshot(['b', 'c']);
    expect([held(), follower.leftOut, follower.opened(NOW).resumeToken]).toEqual([['b', 'c'], 0, '0']);
  });
});

describe('the bytes of a follower', () => {
  const two = bytesOf(record('a')) + bytesOf(record('b'));

  test('may be as many as they may', () => {
    follow({ bytesMax: two });
    snapshot(['a', 'b']);
    expect([held(), follower.leftOut]).toEqual([['a', 'b'], 0]);
  });
  test('may not be one more', () => {
    follow({ bytesMax: two - 1 });
    snapshot(['a', 'b']);
    expect([held(), follower.leftOut]).toEqual([['a'], 1]);
  });
  test('take a record away that grows over them: what it said is no longer so', () => {
    follow({ bytesMax: two });
    snapshot(['a', 'b']);
    change([{ record: record('b', 'gw.10'), ttlMs: 13_000 }]);
    expect([held(), effects, follower.leftOut]).toEqual([['a'], [{ kind: 'drop', record: record('b'), reason: 'left-out' }], 1]);
    change(timed('c'));
    expect(held()).toEqual(['a', 'c']);
  });
  test('are counted anew with each snapshot', () => {
    follow({ bytesMax: two });
    for (let count = 0; count < 3; count += 1) snapshot(count % 2 === 0 ? ['a', 'b'] : ['b', 'c']);
    expect([held(), follower.leftOut]).toEqual([['a', 'b'], 0]);
  });
});

describe('what waits for its last part', () => {
  beforeEach(() => {
    follow({ recordsMax: 2 });
    snapshot(['a', 'b']);
  });
  const restart = [{ kind: 'restart', why: 'a change or a renewal has more than 2 entries' }];
  const renewal = (isLast: boolean): void =>
    say({ kind: 'renew', floors: [], singles: [{ recordId: 'a', ttlMs: 20_000 }], isLast });

  test('may be a change as large as what may be held', () => {
    change(timed('a'), [], false);
    change(timed('b'));
    expect(effects.map(({ kind }) => kind)).toEqual(['put', 'put']);
  });
  test('may not be a larger change, also of empty parts', () => {
    change(timed('a'), [], false);
    change([], [], false);
    expect(effects).toEqual([]);
    change([], [], false);
    expect([effects, follower.opened(NOW).resumeToken, held()]).toEqual([restart, '', ['a', 'b']]);
  });
  test('may not be a larger renewal, and one that was given up counts no more', () => {
    renewal(false);
    renewal(false);
    change([]);
    renewal(false);
    renewal(false);
    expect(effects).toEqual([]);
    renewal(true);
    expect([effects, follower.byHost('a.apps.test', NOW)?.until]).toEqual([restart, 13_000]);
  });
});
