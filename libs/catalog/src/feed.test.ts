import type { StoreRevision, WorkspaceId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { createFeed } from './feed.ts';
import { RECORDS_PER_MESSAGE_MAX } from './messages.ts';
import type { Scope } from './scope.ts';
import { at, createReplica, createScript, plain } from './testing/stage.ts';

const NOW = at(1_000);
const team = (...names: string[]): Scope => new Set(names as WorkspaceId[]);

function stage({ count = 3, backlogBytesMax = 1_000_000, scope = 'all' as Scope } = {}) {
  const script = createScript(() => NOW);
  const replica = createReplica();
  replica.evidence.echoed(1n as StoreRevision, NOW);
  const take = (changes: Parameters<typeof replica.take>[0]) => replica.take(changes, script.revision, NOW);
  for (let index = 0; index < count; index += 1) take(script.publish(`a${index}`));
  const feed = createFeed({
    ...{ catalog: replica.catalog, evidence: replica.evidence, history: replica.history, scope, backlogBytesMax },
    revision: () => replica.world.revision,
    tokenOf: ({ revision, whole }) => `${revision}${whole ? '' : '?'}`,
    health: () => ({ lagMs: 5, hasAuthority: true }),
    onResync: () => undefined,
  });
  const all = (now = NOW) => {
    const messages = [];
    for (let sent = feed.next(now); sent !== undefined; sent = feed.next(now)) messages.push(sent.message);
    return messages;
  };
  const move = (changes: Parameters<typeof replica.take>[0], now = NOW) => feed.moved(take(changes), now);
  return { script, replica, feed, all, move };
}
const kinds = (messages: readonly { readonly kind: string }[]): string[] => messages.map(({ kind }) => kind);

test('a snapshot comes in parts, and the last brings all of it to one moment', () => {
  const { feed, script, move, all } = stage({ count: 2 * RECORDS_PER_MESSAGE_MAX });
  feed.start(undefined);
  expect(feed.next(NOW)?.message).toMatchObject({ kind: 'snapshot', token: undefined, removed: [] });
  move(script.withdraw('a0'));
  move(script.publish('a1'));
  const [second, third] = all();
  expect(second).toMatchObject({ kind: 'snapshot', token: undefined });
  expect(third).toMatchObject({
    kind: 'snapshot',
    removed: ['a0/web'],
    pages: [[{ record: { recordId: 'a1/web', ownerEpoch: BigInt(2 * RECORDS_PER_MESSAGE_MAX + 1) } }]],
  });
});

test('changes of one record become one, the newest', () => {
  const { feed, script, move, all } = stage();
  feed.start(undefined);
  all();
  move(script.breaks.owner?.('a0') ?? []);
  move(script.publish('a0'));
  move(script.breaks.session?.('a0') ?? []);
  expect(all()).toEqual([
    {
      kind: 'delta',
      from: expect.any(String),
      to: String(script.revision),
      upserts: [],
      tombstones: [{ recordId: 'a0/web', reason: 'session-lost' }],
    },
  ]);
});

describe('a reader that is too slow', () => {
  const flood = (count: number, { script, move }: ReturnType<typeof stage>, now = NOW) => {
    for (let index = 0; index < count; index += 1) move(script.publish(`b${index}`), now);
  };
  test('begins anew once, then ends', () => {
    const it = stage({ backlogBytesMax: 1_000 });
    it.feed.start(undefined);
    it.all();
    flood(5, it);
    expect(it.feed.backlogBytes).toBeLessThanOrEqual(1_000);
    expect(kinds(it.all())).toEqual(['resync', 'snapshot']);
    flood(5, it);
    expect([it.all(), it.feed.ended()]).toEqual([[], expect.objectContaining({ kind: 'lagging' })]);
  });
  test('may be so again a minute later', () => {
    const it = stage({ backlogBytesMax: 1_000 });
    it.feed.start(undefined);
    it.all();
    flood(5, it);
    it.all();
    flood(5, it, at(61_001));
    expect([kinds(it.all(at(61_001))).slice(0, 2), it.feed.ended()]).toEqual([['resync', 'snapshot'], undefined]);
  });
  test('ends when it cannot even take its snapshot', () => {
    const it = stage({ backlogBytesMax: 1_000, count: RECORDS_PER_MESSAGE_MAX + 1 });
    it.feed.start(undefined);
    it.feed.next(NOW);
    flood(5, it);
    expect(it.feed.ended()).toMatchObject({ kind: 'lagging' });
  });
  test('has nothing waiting before its snapshot begins, which then tells what there is', () => {
    const it = stage({ backlogBytesMax: 1_000 });
    it.feed.start(undefined);
    flood(5, it);
    it.move(it.script.withdraw('a0'));
    expect([it.feed.owesSnapshot(), it.feed.backlogBytes, it.feed.ended()]).toEqual([true, 0, undefined]);
    const [snapshot] = it.all();
    expect(snapshot).toMatchObject({ kind: 'snapshot', removed: [], token: expect.any(String) });
    expect(snapshot?.kind === 'snapshot' ? snapshot.pages.flat().map(({ record }) => record.recordId) : []).toHaveLength(7);
  });
});

describe('what is renewed', () => {
  test('is one number for a gateway, whatever it renews', () => {
    const { feed, replica, all } = stage({ count: 500 });
    feed.start(undefined);
    replica.catalog.passed(NOW);
    all();
    feed.pinged(7n);
    const sent = feed.next(at(2_000));
    expect(sent?.pingId).toBe(7n);
    expect(sent?.message).toMatchObject({
      kind: 'renew',
      singles: [],
      isLast: true,
      floors: [{ renewedBy: 'g2.9' }, { renewedBy: 'g1.9' }].slice(0, 2),
    });
  });
  test('is told at most once a second, however often it is asked for', () => {
    const { feed, replica, all } = stage();
    feed.start(undefined);
    replica.catalog.passed(NOW);
    all();
    feed.pinged(1n);
    feed.pinged(2n);
    const renewals = (ms: number) => all(at(ms)).filter(({ kind }) => kind === 'renew').length;
    expect(renewals(1_000)).toBe(1);
    feed.pinged(3n);
    expect([renewals(1_500), renewals(2_000)]).toEqual([0, 1]);
  });
  test('names nothing of a workspace that is not seen', () => {
    const { feed, replica, all } = stage({ scope: team('zzz') });
    feed.start(undefined);
    replica.evidence.renewed(
      plain('g1'),
      plain({ gatewayEpoch: 9n, asOf: 999n, renewals: [{ sessionId: 's2', reportSequence: 2, remainingMs: 15_000 }] }),
    );
    replica.catalog.passed(at(5_000));
    feed.pinged(1n);
    for (const message of all(at(5_000))) expect(JSON.stringify(message)).not.toMatch(/a\d/);
  });
});
