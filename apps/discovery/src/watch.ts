import { createFeed, intersect, isEmptyScope, type Scope, type Sent, scopeText } from '@sallyport/catalog';
import { earliest, err, type Failure, failure, type Instant, later, ok, type Result } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import {
  admitted,
  type Caller,
  CREDENTIAL_LENGTH_MAX,
  type discoveryV1,
  type PublishedRecord,
  type Stream,
} from '@sallyport/wire';
import type { Admission } from './admission.ts';
import { scopeAsked } from './asked.ts';
import type { CatalogView } from './catalog-view.ts';
import type { DiscoveryMetrics } from './metrics.ts';
import type { GrantWatchers, Reader, Readers } from './readers.ts';
import type { ResumeTokens } from './resume-token.ts';
import type { SnapshotLine } from './snapshot-line.ts';
import type { Urls } from './urls.ts';
import { createWake } from './wake.ts';

export interface WatchOptions {
  readonly view: CatalogView;
  readonly readers: Readers;
  readonly admission: Admission;
  readonly line: SnapshotLine;
  readonly tokens: ResumeTokens;
  readonly clock: Clock;
  /** Wall clock, milliseconds since 1970: credentials name it. */
  readonly unixMs: () => number;
  readonly urls: Urls;
  readonly metrics: DiscoveryMetrics;
  readonly backlogBytesMax: number;
  /** Told when grants in a file have changed. */
  readonly grantFiles: GrantWatchers;
}

type WatchStream = Stream<Sent<PublishedRecord>, discoveryV1.WatchRequest>;

/** For the first request to come. */
export const START_WITHIN_MS = 10_000;
/** A reader that takes nothing for so long is gone, or as good as gone. */
export const PROGRESS_WITHIN_MS = 10_000;
/** How long a stream outlives its credential, for a Refresh that is late. */
export const EXPIRY_GRACE_MS = 30_000;
/** For a replica that is behind the one that gave the resume token. */
const CATCH_UP_MS = 3_000;
const TOKEN_LENGTH_MAX = 512;
export const SNAPSHOTS_BUSY = 'this replica is busy with the snapshots of others: again after a second, or ask another';

/** Serves one watch, for as long as it lasts. */
export async function serveWatch(stream: WatchStream, caller: Caller, options: WatchOptions): Promise<Result<void, Failure>> {
  const { view, readers, admission, clock } = options;
  const reader = await readers.admit(caller.bearer);
  if (!reader.ok) return reader;
  const why = view.notReady();
  if (why !== undefined) return err(failure('not-ready', why));
  const begun = admission.begin(reader.value.principal, clock.now());
  if (!begun.ok) return begun;
  const held = admission.hold(reader.value.principal);
  if (!held.ok) return held;
  try {
    return await follow(stream, reader.value, options);
  } finally {
    held.value();
  }
}

async function follow(stream: WatchStream, admittedReader: Reader, options: WatchOptions): Promise<Result<void, Failure>> {
  const { view, readers, tokens, clock, unixMs, urls, metrics, line } = options;
  const requests = stream.received[Symbol.asyncIterator]();
  const start = await firstOf(requests, clock);
  if (!start.ok) return start;
  let reader = admittedReader;
  const asked = scopeAsked(start.value.workspaces);
  if (!asked.ok) return asked;
  const scope = (): Scope => intersect(reader.scope(), asked.value);
  if (isEmptyScope(scope())) return err(failure('forbidden', 'none of these workspaces may be seen'));
  const resume = start.value.resumeToken === '' ? undefined : tokens.read(start.value.resumeToken, scope());
  if (resume !== undefined && 'revision' in resume && !(await view.reached(resume.revision, CATCH_UP_MS)))
    return err(failure('not-ready', 'this replica is behind the one that gave the token; ask another'));

  const feed = createFeed({
    catalog: view.catalog,
    evidence: view.evidence,
    history: view.history,
    revision: () => view.world.revision,
    scope: scope(),
    tokenOf: (position) => tokens.make(position),
    health: (now) => ({ lagMs: view.signs.lagMs(now), hasAuthority: view.connected() && view.signs.hasAuthority(now) }),
    backlogBytesMax: options.backlogBytesMax,
    onResync: (reason) => metrics.resynced(reason),
  });
  const wake = createWake(clock);
  const turn = line.join(reader.principal, () => wake.news());
  let ended: Failure | undefined;
  const endOf = ({ expiresAtUnixMs }: Reader): Instant => later(clock.now(), expiresAtUnixMs - unixMs() + EXPIRY_GRACE_MS);
  let endsAt = endOf(reader);

  let told = scopeText(scope());
  function rescope(): void {
    const next = scope();
    if (scopeText(next) === told) return;
    told = scopeText(next);
    feed.rescope(next, clock.now());
    wake.news();
  }

  const unfollow = view.follow({
    moved(moves, now) {
      feed.moved(moves, now);
      wake.news();
    },
    renewed() {
      feed.renewed();
      wake.news();
    },
    granted: (principal) => principal === reader.principal && rescope(),
  });
  stream.signal.addEventListener('abort', () => wake.news(), { once: true });

  /** What the reader says; a reader that has ended its side goes on reading. */
  async function listen(): Promise<void> {
    for (;;) {
      const next = await requests.next();
      if (next.done || ended !== undefined) return;
      const { request } = next.value;
      if (request?.$case === 'ping') feed.pinged(request.value.id);
      else if (request?.$case === 'refresh') ended = await refresh(request.value.credential);
      else ended = failure('malformed', 'a watch takes one start, then pings and refreshes');
      wake.news();
    }
  }

  async function refresh(credential: string): Promise<Failure | undefined> {
    if (credential.length > CREDENTIAL_LENGTH_MAX) return failure('unauthenticated', 'the credential is too long');
    const fresh = await readers.admit(credential);
    if (!fresh.ok) return fresh.error;
    if (fresh.value.principal !== reader.principal)
      return failure('forbidden', `the stream is ${reader.principal}'s: another principal opens its own`);
    reader = fresh.value;
    endsAt = endOf(reader);
    rescope();
    return undefined;
  }

  async function write(): Promise<Result<void, Failure>> {
    let isFollowing = false;
    for (;;) {
      if (stream.signal.aborted) return ok(undefined);
      if (ended !== undefined) return err(ended);
      const now = clock.now();
      if (now >= endsAt) return err(failure('unauthenticated', 'the credential of this stream has expired'));
      const allowed = feed.owesSnapshot() ? turn.ask(now) : 'go';
      // Whoever has been told something of records is not sent away for what it did not ask for.
      if (allowed === 'late' && !isFollowing) return err(failure('not-ready', SNAPSHOTS_BUSY));
      if (allowed !== 'go') {
        await wake.until(isFollowing ? endsAt : earliest(turn.lateAt(), endsAt));
        continue;
      }
      const made = feed.next(now);
      if (made !== undefined) {
        if (made.message.kind !== 'resync') isFollowing = true;
        if (!feed.owesSnapshot()) turn.leave();
        stream.send(urls.sent(made));
        if (!(await withinTime(stream.drained(), PROGRESS_WITHIN_MS, clock)))
          return err(failure('lagging', `the reader took nothing for ${PROGRESS_WITHIN_MS / 1_000} s`));
        continue;
      }
      const over = feed.ended();
      if (over !== undefined) return err(over);
      await wake.until(earliest(feed.dueAt(), endsAt));
    }
  }

  const unwatch = options.grantFiles.add(rescope);
  const forget = metrics.follows(() => feed.backlogBytes);
  feed.start(resume);
  void listen();
  try {
    return await write();
  } finally {
    turn.leave();
    unfollow();
    unwatch();
    forget();
  }
}

async function firstOf(
  requests: AsyncIterator<discoveryV1.WatchRequest>,
  clock: Clock,
): Promise<Result<discoveryV1.WatchStart, Failure>> {
  let first: IteratorResult<discoveryV1.WatchRequest> | undefined;
  const came = await withinTime(
    requests.next().then((next) => {
      first = next;
    }),
    START_WITHIN_MS,
    clock,
  );
  if (!came) return err(failure('malformed', `no start within ${START_WITHIN_MS / 1_000} s`));
  if (first === undefined || first.done || first.value.request?.$case !== 'start')
    return err(failure('malformed', 'the first request of a watch is its start'));
  const { value } = first.value.request;
  return admitted((check) => ({
    workspaces: value.workspaces,
    resumeToken: check.text('resume_token', value.resumeToken, TOKEN_LENGTH_MAX),
  }));
}

/** Whether it settles within the time. */
function withinTime(settles: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.at(later(clock.now(), ms), () => resolve(false));
    void settles.then(() => {
      cancel();
      resolve(true);
    });
  });
}
