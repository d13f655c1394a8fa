import type { Sent } from '@sallyport/catalog';
import { createLog, createMetrics } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { createMemoryStore } from '@sallyport/store';
import type { discoveryV1, PublishedRecord, Stream } from '@sallyport/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdmission } from './admission.ts';
import { followCatalog } from './catalog-view.ts';
import { createDiscoveryMetrics } from './metrics.ts';
import { createGrantWatchers } from './readers.ts';
import { createResumeTokens } from './resume-token.ts';
import { createSnapshotLine, SNAPSHOT_WAIT_MAX_MS } from './snapshot-line.ts';
import { createPublisher, plain } from './testing/publication.ts';
import { createUrls } from './urls.ts';
import { PROGRESS_WITHIN_MS, START_WITHIN_MS, serveWatch, type WatchOptions } from './watch.ts';

/** Streams whose other end does as the test says; what is behind them is the real thing. */
const clock = createManualClock();
const memory = createMemoryStore({ clock });
const publisher = createPublisher(memory.connect());
const view = followCatalog({ store: memory.connect(), clock, log: createLog({ level: 'silent' }), randomId: () => 'd1' });
const admission = createAdmission({ streamsMax: 5, opensPerSecondMax: 100 });
const line = createSnapshotLine({ clock, nextTurn: (act) => void clock.at(clock.now(), act) });
const reader = { principal: 'edge-1', scope: () => 'all' as const, expiresAtUnixMs: 1e15, isOperator: false };
const options: WatchOptions = {
  ...{
    view,
    admission,
    line,
    clock,
    unixMs: () => 0,
    urls: createUrls(() => 443),
    grantFiles: createGrantWatchers(),
    backlogBytesMax: 2_000,
  },
  readers: { admit: async () => ({ ok: true as const, value: reader }), grantOf: () => undefined },
  tokens: createResumeTokens(() => undefined),
  metrics: createDiscoveryMetrics(createMetrics(), { view, admission, line, clock }),
};

beforeAll(async () => {
  await clock.advanceAsync(1_000);
  await publisher.generation();
  await publisher.publish('team', 'demo', memory.revision());
  await clock.advanceAsync(1_000);
});
afterAll(() => view.close());

function serve({ starts, takes }: { readonly starts: boolean; readonly takes: boolean }, given: WatchOptions = options) {
  const sent: Sent<PublishedRecord>[] = [];
  const over = new AbortController();
  const start: discoveryV1.WatchRequest = { request: { $case: 'start', value: { workspaces: [], resumeToken: '' } } };
  const stream: Stream<Sent<PublishedRecord>, discoveryV1.WatchRequest> = {
    send: (message) => sent.push(message) > 0,
    drained: () => (takes ? Promise.resolve() : new Promise(() => undefined)),
    end: () => undefined,
    fail: () => over.abort(),
    received: {
      async *[Symbol.asyncIterator]() {
        if (starts) yield start;
        await new Promise(() => undefined);
      },
    },
    signal: over.signal,
    closed: Promise.resolve(undefined),
  };
  return { sent, over, outcome: serveWatch(stream, plain({ bearer: 'x' }), given) };
}

test('a reader that takes nothing is ended, and costs one message until then', async () => {
  const { sent, outcome } = serve({ starts: true, takes: false });
  await clock.advanceAsync(PROGRESS_WITHIN_MS - 1);
  expect(sent).toHaveLength(1);
  await clock.advanceAsync(1);
  expect(await outcome).toMatchObject({
    ok: false,
    error: { kind: 'lagging', message: expect.stringMatching(/took nothing for 10 s/) },
  });
  expect(admission.streamCount).toBe(0);
});

test('a client that never starts is ended', async () => {
  const { outcome } = serve({ starts: false, takes: true });
  await clock.advanceAsync(START_WITHIN_MS);
  expect(await outcome).toMatchObject({
    ok: false,
    error: { kind: 'malformed', message: expect.stringMatching(/no start within 10 s/) },
  });
});

test('a reader whose snapshot does not begin in time is sent to another replica, and leaves the line', async () => {
  const stuck = createSnapshotLine({ clock, nextTurn: () => undefined });
  const { sent, outcome } = serve({ starts: true, takes: true }, { ...options, line: stuck });
  await clock.advanceAsync(SNAPSHOT_WAIT_MAX_MS - 1);
  expect(stuck.waitingCount).toBe(1);
  await clock.advanceAsync(1);
  expect(await outcome).toMatchObject({ ok: false, error: { kind: 'not-ready', message: expect.stringMatching(/ask another/) } });
  expect([sent, stuck.waitingCount, admission.streamCount]).toEqual([[], 0, 0]);
});

test('nothing is sent from within the callback of the store, and much that moves at once is one message', async () => {
  const { sent, over, outcome } = serve({ starts: true, takes: true });
  await clock.advanceAsync(0);
  const before = sent.length;
  const during: number[] = [];
  const unfollow = view.follow({
    moved: () => void during.push(sent.length),
    renewed: () => undefined,
    granted: () => undefined,
  });
  await publisher.publish('team', 'box', memory.revision());
  await clock.advanceAsync(0);
  unfollow();
  expect(during[0]).toBe(before);
  expect(sent.length).toBeGreaterThan(before);
  over.abort();
  expect((await outcome).ok).toBe(true);
  expect(admission.streamCount).toBe(0);
});
