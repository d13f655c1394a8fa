import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStage, type Replica, type Watcher } from './testing/stage.ts';

const stage = await createStage();
const { clock, memory, publisher, tokenOf } = stage;
afterAll(() => stage.close());

const [demo, box, other] = ['team--demo--web.apps.test', 'team--box--web.apps.test', 'other--demo2--web.apps.test'];
let one: Replica;
let two: Replica;
const sandboxes = ['demo', 'box', 'demo2'];
const renew = () => publisher.renew(sandboxes, memory.revision());
const viewer = () => tokenOf({ kind: 'viewer', workspaces: 'all' });
const reader = (principal: string) => tokenOf({ kind: 'reader', workspaces: 'all' }, principal);
const kinds = ({ messages }: Watcher): string[] => messages.map(({ kind }) => kind);
const last = ({ messages }: Watcher) => messages.at(-1);

beforeAll(async () => {
  one = await stage.start('d1');
  two = await stage.start('d2');
  await clock.advanceAsync(1_000);
  await publisher.generation();
  await publisher.publish('team', 'demo', memory.revision());
  await publisher.publish('other', 'demo2', memory.revision());
  await clock.advanceAsync(1_000);
  await renew();
  await clock.advanceAsync(1_000);
});

describe('a watch', () => {
  test('begins with a snapshot, then says that it lives', async () => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    expect(kinds(watcher)).toEqual(['snapshot', 'heartbeat']);
    expect(watcher.hosts()).toEqual([other, demo]);
    expect(last(watcher)).toMatchObject({ hasAuthority: true, lagMs: expect.any(Number) });
    watcher.end();
  });

  test('tells what comes, what changes and what goes, with the reason, each from the token before', async () => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    await publisher.publish('team', 'box', memory.revision());
    await watcher.until(() => watcher.hosts().includes(box));
    expect(last(watcher)).toMatchObject({
      kind: 'delta',
      tombstones: [],
      upserts: [{ record: { host: box, url: `https://${box}:8443/` } }],
    });
    await publisher.bumpCredential('box');
    await watcher.until(() => !watcher.hosts().includes(box));
    expect(last(watcher)).toMatchObject({ tombstones: [{ recordId: 'box/web', reason: 'credential-revoked' }], upserts: [] });
    watcher.end();
  });

  test('renews on a Ping, and lives count from it', async () => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    await clock.advanceAsync(3_000);
    await renew();
    await clock.advanceAsync(1_000);
    watcher.ping();
    await watcher.until(() => watcher.messages.some((each) => each.kind === 'renew' && each.isLast));
    const { until } = watcher.follower.byHost(demo, clock.now()) ?? { until: 0 };
    expect(until - clock.now()).toBeGreaterThan(8_000);
    watcher.end();
  });

  test('a record that is not renewed runs out at the reader by itself, and is told to be gone', async () => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    await clock.advanceAsync(14_000);
    expect(watcher.hosts()).toEqual([]);
    await watcher.until(() =>
      watcher.messages.some((each) => each.kind === 'delta' && each.tombstones.some(({ reason }) => reason === 'expired')),
    );
    await renew();
    watcher.ping();
    await stage.drive(() => watcher.hosts().length === 2);
    watcher.end();
  });
});

describe('a stream that is taken up again', () => {
  test.each([
    ['at the same replica', 'box3', () => one],
    ['at another', 'box4', () => two],
  ])('%s goes on from its token', async (_title, sandbox, next) => {
    const first = stage.watch(one, await viewer());
    await first.until(() => kinds(first).includes('heartbeat'));
    first.end();
    await first.over();
    await publisher.publish('team', sandbox, memory.revision());
    await clock.advanceAsync(0);
    const second = stage.watch(next(), await viewer(), first.follower);
    await second.until(() => kinds(second).includes('delta'));
    expect(kinds(second)[0]).toBe('delta');
    expect(second.hosts()).toEqual([other, `team--${sandbox}--web.apps.test`, demo]);
    second.end();
    await publisher.withdraw('team', sandbox);
    await clock.advanceAsync(0);
  });

  test('of other workspaces, begins anew and forgets what it held', async () => {
    const first = stage.watch(one, await viewer());
    await first.until(() => kinds(first).includes('heartbeat'));
    first.end();
    await first.over();
    const second = stage.watch(one, await viewer(), first.follower, ['team']);
    await second.until(() => kinds(second).includes('snapshot'));
    expect(second.messages[0]).toEqual({ kind: 'resync', reason: 'scope', forget: true });
    expect(second.hosts()).toEqual([demo]);
    second.end();
  });

  test('with a token that is none, begins anew', async () => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    const spoilt = { ...watcher.follower, opened: () => ({ workspaces: [], resumeToken: 'abcd' }) };
    const second = stage.watch(one, await viewer(), spoilt);
    await second.until(() => kinds(second).includes('snapshot'));
    expect(second.messages[0]).toEqual({ kind: 'resync', reason: 'token', forget: false });
    for (const each of [watcher, second]) each.end();
  });
});

describe('a grant', () => {
  test('is narrowed on the open stream before anything else, and given again', async () => {
    await publisher.grant('edge-1', ['team', 'other']);
    await clock.advanceAsync(0);
    const watcher = stage.watch(one, await reader('edge-1'));
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    expect(watcher.hosts()).toEqual([other, demo]);
    const before = watcher.messages.length;
    await publisher.grant('edge-1', ['team']);
    await watcher.until(() => watcher.messages.length > before);
    expect(watcher.messages[before]).toMatchObject({
      kind: 'delta',
      tombstones: [{ recordId: 'demo2/web', reason: 'grant-revoked' }],
    });
    expect(watcher.hosts()).toEqual([demo]);
    await publisher.grant('edge-1', ['team', 'other']);
    await watcher.until(() => watcher.hosts().length === 2);
    watcher.end();
  });

  test('that is taken back ends the stream, and the reader holds nothing', async () => {
    await publisher.grant('edge-2', ['team']);
    await clock.advanceAsync(0);
    const watcher = stage.watch(one, await reader('edge-2'));
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    await publisher.grant('edge-2', []);
    expect(await watcher.over()).toMatchObject({ kind: 'forbidden', message: expect.stringMatching(/no workspace is left/) });
    expect(watcher.hosts()).toEqual([]);
  });
});

describe('a credential', () => {
  test('that has expired ends its stream half a minute later, unless it is refreshed', async () => {
    const [ends, goesOn] = [1, 2].map(async () =>
      stage.watch(one, await tokenOf({ kind: 'viewer', workspaces: 'all' }, 'ann', 5_000)),
    );
    const [first, second] = [await ends, await goesOn];
    if (first === undefined || second === undefined) throw new Error('two streams');
    await first.until(() => kinds(first).includes('heartbeat'));
    await second.until(() => kinds(second).includes('heartbeat'));
    second.send({ $case: 'refresh', value: { credential: await viewer() } });
    second.ping();
    await second.until(() => kinds(second).includes('renew'));
    await clock.advanceAsync(36_000);
    expect(await first.over()).toMatchObject({ kind: 'unauthenticated', message: expect.stringMatching(/expired/) });
    const count = second.messages.length;
    await second.until(() => second.messages.length >= count);
    expect(second.failure()).toBeUndefined();
    second.end();
  });

  test.each<[title: string, credential: () => Promise<string>, kind: string]>([
    ['of another principal', () => tokenOf({ kind: 'admin' }, 'bob'), 'forbidden'],
    ['that does not hold', async () => 'abc', 'unauthenticated'],
  ])('%s does not refresh a stream', async (_title, credential, kind) => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    watcher.send({ $case: 'refresh', value: { credential: await credential() } });
    expect(await watcher.over()).toMatchObject({ kind });
  });
});

describe('refused', () => {
  test('a second start', async () => {
    const watcher = stage.watch(one, await viewer());
    watcher.send({ $case: 'start', value: { workspaces: [], resumeToken: '' } });
    expect(await watcher.over()).toMatchObject({ kind: 'malformed' });
  });
  test('workspaces that may not be seen', async () => {
    const watcher = stage.watch(one, await tokenOf({ kind: 'viewer', workspaces: ['team'] }), undefined, ['other']);
    expect(await watcher.over()).toMatchObject({ kind: 'forbidden' });
  });
  test('more streams than one principal may have', async () => {
    const token = await tokenOf({ kind: 'admin' }, 'greedy');
    const open = Array.from({ length: 20 }, () => stage.watch(two, token));
    for (const watcher of open) await watcher.until(() => kinds(watcher).includes('heartbeat'));
    expect(await stage.watch(two, token).over()).toMatchObject({
      kind: 'over-limit',
      message: expect.stringMatching(/20 streams open/),
    });
    for (const watcher of open) watcher.end();
  });
  test('a token of a replica that is further on, once this one does not catch up', async () => {
    const watcher = stage.watch(one, await viewer());
    await watcher.until(() => kinds(watcher).includes('heartbeat'));
    watcher.end();
    await watcher.over();
    two.store.cutOff(true);
    await publisher.publish('team', 'far', memory.revision());
    const ahead = stage.watch(one, await viewer(), watcher.follower);
    await ahead.until(() => ahead.hosts().includes('team--far--web.apps.test'));
    ahead.end();
    await ahead.over();
    const behind = stage.watch(two, await viewer(), ahead.follower);
    await stage.drive(() => behind.failure() !== undefined);
    expect(await behind.over()).toMatchObject({ kind: 'not-ready', message: expect.stringMatching(/behind/) });
    two.store.cutOff(false);
  });
});

test('metrics tell what is shown and who is behind', async () => {
  const text = await one.metrics.text();
  for (const name of ['records_published', 'streams_open', 'stream_buffer_bytes', 'watch_lag_seconds', 'has_authority'])
    expect(text).toMatch(new RegExp(`^sallyport_discovery_${name} [0-9.e+-]+$`, 'm'));
  expect(text).toMatch(/sallyport_discovery_tombstones_total\{reason="credential-revoked"\} 1/);
  expect(text).toMatch(/sallyport_discovery_resync_total\{reason="scope"\} 1/);
});
