import { createFollower, type TombstoneReason, type WatchMessage } from '@sallyport/catalog';
import { err, type Failure, failure, type Host, ok, type Result } from '@sallyport/model';
import { createManualClock, type ManualClock } from '@sallyport/process/manual-clock';
import { type discoveryV1, type PublishedRecord, watchResponseMessage } from '@sallyport/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followDiscovery, PING_EVERY_MS, type Replica, type WatchStream } from './follow-discovery.ts';
import { recordOf } from './testing/records.ts';

const HOST = 'web.apps.test' as Host;
const record = { record: recordOf(HOST, 8443), ttlMs: 13_000 };
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined } as never;

/** One stream that a replica was asked for; the test says what comes of it. */
interface Opened {
  readonly replica: string;
  readonly bearer: string;
  readonly requests: discoveryV1.WatchRequest[];
  say(message: WatchMessage<PublishedRecord>): void;
  end(failure?: Failure): void;
}

let clock: ManualClock;
let opened: Opened[];
let credential: Result<string, string>;
let stop: AbortController;
let ended: Promise<void>;
let follower: ReturnType<typeof createFollower<PublishedRecord>>;
let isConnected: () => boolean;
let jitter: number;

function replica(name: string): Replica {
  return {
    name,
    watch(bearer, signal): WatchStream {
      const queue: discoveryV1.WatchResponse[] = [];
      let wake = (): void => undefined;
      let over = false;
      const closed = Promise.withResolvers<Failure | undefined>();
      const end = (why?: Failure): void => {
        over = true;
        closed.resolve(why);
        wake();
      };
      signal.addEventListener('abort', () => end(failure('not-ready', 'cancelled')));
      const requests: discoveryV1.WatchRequest[] = [];
      opened.push({
        replica: name,
        bearer,
        requests,
        say(message) {
          queue.push(watchResponseMessage({ pingId: lastPing(requests), message }));
          wake();
        },
        end,
      });
      async function* received(): AsyncGenerator<discoveryV1.WatchResponse> {
        for (;;) {
          const next = queue.shift();
          if (next !== undefined) yield next;
          else if (over) return;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      }
      return {
        send: (request) => requests.push(request) > 0,
        drained: async () => undefined,
        end: () => end(),
        fail: (why) => end(why),
        received: received(),
        signal,
        closed: closed.promise,
      };
    },
  };
}

const lastPing = (requests: readonly discoveryV1.WatchRequest[]): bigint =>
  requests.reduce((last, { request }) => (request?.$case === 'ping' ? request.value.id : last), 0n);

function follow(...names: string[]): void {
  const following = followDiscovery({
    replicas: names.map(replica),
    follower,
    apply: () => undefined,
    readCredential: async () => credential,
    clock,
    random: () => jitter,
    log: silent,
    onStream: () => undefined,
    signal: stop.signal,
  });
  ({ ended, connected: isConnected } = following);
}

beforeEach(() => {
  clock = createManualClock();
  jitter = 0;
  opened = [];
  credential = ok('token-1');
  stop = new AbortController();
  follower = createFollower<PublishedRecord>();
});
afterEach(async () => {
  stop.abort();
  await clock.advanceAsync(10_000);
  await ended;
});

const settle = (ms = 0): Promise<void> => clock.advanceAsync(ms);
const last = (): Opened => opened.at(-1) as Opened;
const start = (of: Opened): string | undefined => {
  const request = of.requests[0]?.request;
  return request?.$case === 'start' ? request.value.resumeToken : undefined;
};
const snapshot = (token: string): WatchMessage<PublishedRecord> => ({ kind: 'snapshot', pages: [[record]], removed: [], token });
const beat = (hasAuthority = true): WatchMessage<PublishedRecord> => ({ kind: 'heartbeat', token: 't1', lagMs: 0, hasAuthority });
const gone = (reason: TombstoneReason): WatchMessage<PublishedRecord> => ({
  kind: 'delta',
  from: 't1',
  to: 't2',
  tombstones: [{ recordId: record.record.recordId, reason }],
  upserts: [],
});
const isHeld = (): boolean => follower.byHost(HOST, clock.now()) !== undefined;

describe('an edge follows discovery', () => {
  test('takes what it is told, and pings', async () => {
    follow('a');
    await settle();
    last().say(snapshot('t1'));
    await settle(PING_EVERY_MS);
    expect([isHeld(), isConnected(), lastPing(last().requests)]).toEqual([true, true, 1n]);
    last().say(gone('withdrawn'));
    await settle();
    expect(isHeld()).toBe(false);
  });

  test('goes on at another replica where it left off, and holds what it has meanwhile', async () => {
    follow('a', 'b');
    await settle();
    last().say(snapshot('t1'));
    await settle();
    last().end(failure('not-ready', 'the connection broke'));
    await settle();
    expect([opened.map((each) => each.replica), start(last()), isHeld()]).toEqual([['a', 'b'], 't1', true]);
  });

  test('leaves a replica that is silent in time for what is held, where others stand', async () => {
    follow('a', 'b');
    await settle();
    last().say(snapshot('t1'));
    await settle(6_250);
    expect([opened.map((each) => each.replica), isHeld()]).toEqual([['a', 'b'], true]);
  });

  test('waits for one that stands alone for as long as the protocol says', async () => {
    follow('a');
    await settle();
    last().say(snapshot('t1'));
    await settle(14_000);
    expect(opened.length).toBe(1);
    await settle(1_250);
    expect([opened.length, isHeld()]).toEqual([2, false]);
  });

  test.each([
    ['leaves', ['a', 'b'], 2],
    ['stays with', ['a'], 1],
  ])('%s a replica that is cut off from the store, of %j', async (_title, names, count) => {
    follow(...names);
    await settle();
    last().say(snapshot('t1'));
    last().say(beat(false));
    await settle();
    expect([opened.length, isHeld()]).toEqual([count, true]);
  });

  test('holds nothing that it may see no more', async () => {
    follow('a', 'b');
    await settle();
    last().say(snapshot('t1'));
    await settle();
    last().end(failure('forbidden', 'no grant'));
    await settle();
    expect([isHeld(), start(last())]).toEqual([false, '']);
  });

  test('shows a fresh credential on the open stream, once', async () => {
    follow('a');
    await settle();
    last().say(snapshot('t1'));
    credential = err('gone for a moment');
    await settle(10_000);
    credential = ok('token-2');
    for (let count = 0; count < 6; count += 1) {
      last().say(beat());
      await settle(5_000);
    }
    const refreshes = last().requests.filter(({ request }) => request?.$case === 'refresh');
    expect([opened.length, refreshes.map(({ request }) => request?.value)]).toEqual([1, [{ credential: 'token-2' }]]);
  });

  test('asks nobody without a credential, and goes on when there is one', async () => {
    credential = err('the file is empty');
    jitter = 0.5;
    follow('a');
    await settle(5_000);
    expect(opened).toEqual([]);
    credential = ok('token-3');
    await settle(5_000);
    expect(last().bearer).toBe('token-3');
  });

  test.each([
    ['a change that does not follow on what is held', { ...gone('withdrawn'), from: 't0' } as WatchMessage<PublishedRecord>],
    ['a change that cannot be read', { ...gone('withdrawn'), to: 'x'.repeat(513) } as WatchMessage<PublishedRecord>],
  ])('takes nothing behind %s, and begins anew', async (_title, broken) => {
    follow('a', 'b');
    await settle();
    last().say(snapshot('t1'));
    await settle();
    last().say(broken);
    // Already taken from the connection: it names a token behind the change that was not taken.
    last().say({ kind: 'heartbeat', token: 't2', lagMs: 0, hasAuthority: true });
    await settle();
    expect([opened.length, start(last())]).toEqual([2, '']);
  });

  test('waits longer each time for replicas that answer and end at once', async () => {
    jitter = 1 - Number.EPSILON;
    follow('a', 'b');
    for (let count = 0; count < 300; count += 1) {
      await settle(100);
      last().say(snapshot('t1'));
      await settle();
      last().end(failure('not-ready', 'ended'));
    }
    // Each begins with all that there is: 30 s of them are a few, not one each 100 ms.
    expect(opened.length).toBeLessThan(15);
  });

  test('waits longer each time, up to five seconds, and not at all after a stream that served', async () => {
    const waits: number[] = [];
    followDiscovery({
      replicas: [replica('a')],
      follower,
      apply: () => undefined,
      readCredential: async () => credential,
      clock,
      random: () => 1 - Number.EPSILON,
      log: silent,
      onStream: (what) => what === 'refused' && waits.push(clock.now()),
      signal: stop.signal,
    });
    ended = Promise.resolve();
    for (let count = 0; count < 400; count += 1) {
      await settle(100);
      if (opened.length > waits.length) last().end(failure('not-ready', 'refused'));
    }
    const gaps = waits.slice(1).map((at, index) => at - (waits[index] as number));
    expect(gaps.slice(0, 3).every((gap, index) => index === 0 || gap > (gaps[index - 1] as number))).toBe(true);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5_200);
  });
});
