import { createFollower, type Follower, PING_EVERY_MS, type Sent } from '@sallyport/catalog';
import { failure } from '@sallyport/model';
import { backoffMs, wait } from '@sallyport/process';
import type { discoveryV1, PublishedRecord } from '@sallyport/wire';
import type { SimProcess } from '../time/sim-process.ts';
import type { ReaderNode } from './reader-node.ts';
import type { Surroundings } from './surroundings.ts';

/** One life of whoever follows discovery, as an edge does: production's follower on streams that break. */
export interface ConsumerLife {
  readonly process: SimProcess;
  readonly follower: Follower<PublishedRecord>;
}

export interface ConsumerNode {
  readonly place: string;
  life(): ConsumerLife | undefined;
  start(): void;
  crash(): void;
}

/** The only one: what it may see is in the store. */
export const PRINCIPAL = 'edge';
const BACKOFF = { baseMs: 100, maxMs: 5_000 };
const LOOK_EVERY_MS = 500;
const REFUSED = failure('not-ready', 'connection refused');

export function createConsumerNode(place: string, readers: readonly ReaderNode[], surroundings: Surroundings): ConsumerNode {
  const { connections, streams } = surroundings;
  let life: ConsumerLife | undefined;

  function open({ process, follower }: ConsumerLife, node: ReaderNode) {
    const server = node.life();
    const observe = streams.opened(process, follower, server);
    return connections.open<discoveryV1.WatchRequest, Sent<PublishedRecord>>({
      client: { place, process },
      server: { place: node.place, process: server?.process ?? process },
      name: 'watch',
      accept(end) {
        if (server === undefined || node.life() !== server) return end.fail(REFUSED);
        void server.serve(end, PRINCIPAL).then((result) => (result.ok ? end.end() : end.fail(result.error)));
      },
      observe,
    });
  }

  /** One stream, from its start to its end. */
  async function once(mine: ConsumerLife, node: ReaderNode): Promise<'served' | 'nothing'> {
    const { process, follower } = mine;
    const { clock } = process;
    const stream = open(mine, node);
    const { workspaces, resumeToken } = follower.opened(clock.now());
    stream.send({ request: { $case: 'start', value: { workspaces: [...workspaces], resumeToken } } });
    const cancels = [
      clock.every(PING_EVERY_MS, () => stream.send({ request: { $case: 'ping', value: { id: follower.ping(clock.now()) } } })),
      clock.every(LOOK_EVERY_MS, () => take(follower.passed(clock.now()))),
    ];
    function take(effects: ReturnType<typeof follower.passed>): void {
      for (const effect of effects) if (effect.kind === 'restart') stream.fail(failure('not-ready', effect.why));
    }
    let outcome: 'served' | 'nothing' = 'nothing';
    for await (const sent of stream.received) {
      outcome = 'served';
      take(follower.received(sent, clock.now()));
      streams.taken(mine, sent);
    }
    for (const cancel of cancels) cancel();
    const failed = await stream.closed;
    follower.closed(failed?.kind, clock.now());
    return outcome;
  }

  async function follow(mine: ConsumerLife): Promise<void> {
    const { clock, random } = mine.process;
    let index = random.int(0, readers.length - 1);
    for (let attempt = 0; mine.process.alive(); attempt += 1) {
      if ((await once(mine, readers[index] as ReaderNode)) === 'served') attempt = 0;
      index = (index + 1) % readers.length;
      await wait(clock, backoffMs(attempt, random.float(), BACKOFF), NEVER_ABORTED);
    }
  }

  return {
    place,
    life: () => life,
    start() {
      if (life !== undefined) return;
      life = { process: surroundings.spawn(place), follower: createFollower<PublishedRecord>() };
      void follow(life);
    },
    crash() {
      life?.process.kill();
      life = undefined;
    },
  };
}

const NEVER_ABORTED = new AbortController().signal;
