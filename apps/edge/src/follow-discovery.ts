import type { Effect, Follower } from '@sallyport/catalog';
import { type Failure, failure, formatAddress, later, type Result } from '@sallyport/model';
import { backoffMs, type Clock, type Log, wait } from '@sallyport/process';
import { type discoveryV1, type PublishedRecord, readWatchResponse, type Stream } from '@sallyport/wire';

export type WatchStream = Stream<discoveryV1.WatchRequest, discoveryV1.WatchResponse>;

/** One discovery replica. */
export interface Replica {
  readonly name: string;
  watch(bearer: string, signal: AbortSignal): WatchStream;
}

export interface FollowOptions {
  readonly replicas: readonly Replica[];
  readonly follower: Follower<PublishedRecord>;
  readonly apply: (effects: readonly Effect<PublishedRecord>[]) => void;
  readonly readCredential: () => Promise<Result<string, string>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly onStream: (what: 'opened' | 'ended' | 'refused') => void;
  readonly signal: AbortSignal;
}

export interface Following {
  /** Whether a stream is open that was heard of lately. */
  connected(): boolean;
  /** Resolves when `signal` has ended it. */
  readonly ended: Promise<void>;
}

/** What runs out is looked at so often; whoever uses a record compares by itself. */
const LOOK_EVERY_MS = 250;
const CREDENTIAL_EVERY_MS = 10_000;
const BACKOFF = { baseMs: 100, maxMs: 5_000 };
/** One that answers and ends at once is no better than one that does not answer: each time it sends all that it has. */
const SERVED_MS = 5_000;
/**
 * Lives count from the sending of a Ping, so a fresh one makes them longer: the protocol asks for one each 5 s, and that leaves
 * too little to go to another replica before records run out.
 */
export const PING_EVERY_MS = 2_000;
/**
 * Of a replica that others stand beside, and that sends something each 5 s. The follower's own bound of 15 s is for one that
 * stands alone.
 */
const SUSPECT_AFTER_MS = 6_000;

/**
 * Keeps one stream open, to whichever replica serves, and goes on at another where it left off. Records live on meanwhile, as
 * long as they may.
 */
export function followDiscovery(options: FollowOptions): Following {
  const { replicas, follower, apply, clock, log, signal, onStream } = options;
  let stream: WatchStream | undefined;
  let heardAt = clock.now();
  let isOpen = false;
  /** Given up by us. What was taken from it before may still wait to be read, and stands for nothing any more. */
  let left: WatchStream | undefined;
  let leftOut = 0;

  function leave(of: WatchStream | undefined, why: Failure): void {
    left = of;
    of?.fail(why);
  }

  /** For whoever asks why a connection went where it went, or ended. */
  function tell({ record, ...effect }: Exclude<Effect<PublishedRecord>, { kind: 'restart' }>): void {
    const { host, endpoint } = record;
    const reason = effect.kind === 'drop' ? { reason: effect.reason } : {};
    log.debug(
      { host, endpoint: formatAddress({ host: endpoint.address, port: endpoint.port }), ...reason },
      effect.kind === 'put' ? 'record held' : 'record dropped',
    );
  }

  function take(effects: readonly Effect<PublishedRecord>[]): void {
    apply(effects);
    if (leftOut === 0 && follower.leftOut > 0)
      log.error({ leftOut: follower.leftOut }, 'more records than may be held: hosts are refused that are served');
    leftOut = follower.leftOut;
    for (const effect of effects) {
      if (effect.kind === 'restart') leave(stream, failure('not-ready', effect.why));
      else tell(effect);
    }
  }

  async function once(replica: Replica, bearer: string): Promise<'served' | 'nothing'> {
    const opened = replica.watch(bearer, signal);
    stream = opened;
    heardAt = clock.now();
    const servesFrom = later(heardAt, SERVED_MS);
    const { workspaces, resumeToken } = follower.opened(heardAt);
    opened.send({ request: { $case: 'start', value: { workspaces: [...workspaces], resumeToken } } });
    const cancels = [
      clock.every(PING_EVERY_MS, () => opened.send({ request: { $case: 'ping', value: { id: follower.ping(clock.now()) } } })),
      clock.every(CREDENTIAL_EVERY_MS, () => void refresh(opened)),
    ];
    let known = bearer;
    async function refresh(on: WatchStream): Promise<void> {
      const read = await options.readCredential();
      if (!read.ok)
        return log.warn({ problem: read.error }, 'the credential cannot be read; the stream goes on with the old one');
      if (read.value === known) return;
      known = read.value;
      on.send({ request: { $case: 'refresh', value: { credential: known } } });
    }

    let outcome: 'served' | 'nothing' = 'nothing';
    for await (const response of opened.received) {
      // A heartbeat behind a change that could not be taken names a token that this edge has not reached.
      if (left === opened) break;
      const sent = readWatchResponse(response);
      if (!sent.ok) {
        leave(opened, sent.error);
        break;
      }
      heardAt = clock.now();
      if (!isOpen) {
        isOpen = true;
        onStream('opened');
        log.info({ replica: replica.name, resumed: resumeToken !== '' }, 'follows discovery');
      }
      take(follower.received(sent.value, heardAt));
      // A replica that is cut off from the store says so, and renews nothing: another may stand better.
      const isCutOff = sent.value.message.kind === 'heartbeat' && !sent.value.message.hasAuthority;
      if (isCutOff && replicas.length > 1) leave(opened, failure('not-ready', 'the replica has no authority'));
      else if (heardAt >= servesFrom) outcome = 'served';
    }
    for (const cancel of cancels) cancel();
    const failed = await opened.closed;
    stream = undefined;
    onStream(isOpen ? 'ended' : 'refused');
    isOpen = false;
    apply(follower.closed(failed?.kind, clock.now()));
    if (!signal.aborted) log.warn({ replica: replica.name, reason: failed?.message ?? 'in good order' }, 'the stream has ended');
    return failed?.message === 'the replica has no authority' ? 'nothing' : outcome;
  }

  async function follow(): Promise<void> {
    // Replicas are chosen at random first: edges that start together shall not all come to one.
    let index = Math.floor(options.random() * replicas.length);
    for (let attempt = 0; !signal.aborted; ) {
      const bearer = await options.readCredential();
      if (!bearer.ok) log.error({ problem: bearer.error }, 'no credential: discovery cannot be asked');
      else if ((await once(replicas[index] as Replica, bearer.value)) === 'served') attempt = 0;
      index = (index + 1) % replicas.length;
      await wait(clock, backoffMs(attempt, options.random(), BACKOFF), signal);
      attempt += 1;
    }
  }

  const cancelLook = clock.every(LOOK_EVERY_MS, () => {
    const now = clock.now();
    take(follower.passed(now));
    if (stream !== undefined && replicas.length > 1 && now >= later(heardAt, SUSPECT_AFTER_MS))
      leave(stream, failure('not-ready', `nothing was heard for ${SUSPECT_AFTER_MS / 1_000} s`));
  });
  return { connected: () => isOpen, ended: follow().finally(cancelLook) };
}
