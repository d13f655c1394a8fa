import { CHALLENGE_EVERY_MS, LEASE_MS, READER_MARGIN_MS, type RenewalVector } from '@sallyport/authority';
import { createEvidence } from '@sallyport/catalog';
import { type GatewayEpoch, type Instant, LONG_AGO, later, type SessionId, type StoreRevision } from '@sallyport/model';
import { GATEWAYS } from '../records.ts';
import type { Model, Step } from '../search.ts';

/**
 * One session's renewals from the gateway to one reader of discovery: reports and vectors, the reader's own echoes, and a
 * watch between them, each for as long under way as it likes. `now` is 0.
 */
export interface State {
  /** When the newest accepted report was asked for; the session's evidence ends a lease's length after it. */
  readonly askedAt: Instant;
  /** What the gateway's view had reached, of the revisions that there are. */
  readonly gatewaySaw: number;
  /** Under way to the store. */
  readonly vector: Vector | undefined;
  readonly echo: Instant | undefined;
  /** Everything committed that still matters, oldest first; the index is the revision. */
  readonly log: readonly Committed[];
  readonly readerSaw: number;
  /** Echoes that have come back: where, and when they were sent. */
  readonly marks: readonly { readonly revision: number; readonly sentAt: Instant }[];
  readonly shownUntil: Instant;
  readonly restarts: number;
}

interface Vector {
  readonly asOf: number;
  readonly remainingMs: number;
}

type Committed =
  | { readonly kind: 'vector'; readonly vector: Vector }
  | { readonly kind: 'echo'; readonly sentAt: Instant; readonly life: number };

export interface Setting {
  readonly without: 'T9-receipt' | 'T9-newest' | 'T10' | undefined;
  /** Commits of one history. */
  readonly commitsMax: number;
  readonly restartsMax: number;
}

const NOW = 0 as Instant;
/** Three of them are a lease. */
const TICK_MS = CHALLENGE_EVERY_MS;
const EPOCH = 1n as GatewayEpoch;
const SESSION = 's0' as SessionId;

export function publicationModel(setting: Setting): Model<State> {
  return {
    initial: {
      askedAt: NOW,
      gatewaySaw: 0,
      vector: undefined,
      echo: undefined,
      log: [],
      readerSaw: 0,
      marks: [],
      shownUntil: LONG_AGO,
      restarts: 0,
    },
    keyOf: (state) => JSON.stringify(state, (_key, value) => (value === LONG_AGO ? 'old' : value)),
    *next(state) {
      for (const { name, state: reached } of all(setting, state)) {
        if (reached === undefined) continue;
        const over = reached.shownUntil > NOW && NOW >= later(reached.askedAt, LEASE_MS);
        yield { name, state: reached, broken: over ? 'nothing is shown past its authority' : undefined };
      }
    },
  };
}

type Possible = Omit<Step<State>, 'state'> & { readonly state: State | undefined };

function* all({ without, commitsMax, restartsMax }: Setting, state: State): Iterable<Possible> {
  const { vector, echo, log } = state;
  const isFull = log.length >= commitsMax;
  yield { name: 'five seconds pass', state: pass(state) };
  yield {
    name: 'the gateway accepts a report that was asked for now',
    state: state.askedAt === NOW ? undefined : { ...state, askedAt: NOW },
  };
  yield {
    name: 'the gateway sees the next revision',
    state: state.gatewaySaw < log.length ? { ...state, gatewaySaw: state.gatewaySaw + 1 } : undefined,
  };
  const remainingMs = Math.max(0, state.askedAt + LEASE_MS);
  yield {
    name: 'the gateway sends its vector',
    state: vector === undefined && remainingMs > 0 ? { ...state, vector: { asOf: state.gatewaySaw, remainingMs } } : undefined,
  };
  yield {
    name: 'the vector commits',
    state:
      vector === undefined || isFull ? undefined : { ...state, vector: undefined, log: [...log, { kind: 'vector', vector }] },
  };
  yield { name: 'the reader sends an echo', state: echo === undefined ? { ...state, echo: NOW } : undefined };
  yield {
    name: 'the echo commits',
    state:
      echo === undefined || isFull
        ? undefined
        : { ...state, echo: undefined, log: [...log, { kind: 'echo', sentAt: echo, life: state.restarts }] },
  };
  yield { name: 'the reader sees the next revision', state: read(state, without) };
  yield { name: 'the reader begins anew, and lists', state: state.restarts < restartsMax ? list(state, without) : undefined };
}

/** As the production shell tells it: an echo of its own, or a vector that arrived by watch. */
function read(state: State, without: Setting['without']): State | undefined {
  const next = state.log[state.readerSaw];
  if (next === undefined) return undefined;
  const seen = { ...state, readerSaw: state.readerSaw + 1 };
  if (next.kind === 'vector') return { ...seen, shownUntil: longer(seen.shownUntil, untilBy(seen, next.vector, without)) };
  if (next.life !== state.restarts) return seen;
  return { ...seen, marks: [...seen.marks, { revision: seen.readerSaw, sentAt: next.sentAt }] };
}

const longer = (a: Instant, b: Instant): Instant => Math.max(a, b) as Instant;

/** The production rule, asked afresh: it keeps what it was told in itself. */
function untilBy({ marks }: State, { asOf, remainingMs }: Vector, without: Setting['without']): Instant {
  const evidence = createEvidence();
  // For T9: every moment is an echo at or below whatever was seen.
  if (without === 'T9-receipt') evidence.echoed(0n as StoreRevision, NOW);
  else
    for (const { revision, sentAt } of marks)
      evidence.echoed(BigInt(without === 'T9-newest' ? 0 : revision) as StoreRevision, sentAt);
  const session = { gatewayId: GATEWAYS[0], gatewayEpoch: EPOCH, sessionId: SESSION };
  const vector: RenewalVector = {
    gatewayEpoch: EPOCH,
    asOf: BigInt(asOf) as StoreRevision,
    renewals: [{ sessionId: SESSION, reportSequence: 1, remainingMs }],
  };
  evidence.renewed(GATEWAYS[0], vector);
  const until = evidence.until(session);
  return until === LONG_AGO ? LONG_AGO : later(until, -READER_MARGIN_MS);
}

/** Another life: what it has marked is forgotten, and all that is there is listed at once. */
function list(state: State, without: Setting['without']): State {
  const fresh = {
    ...state,
    marks: [],
    shownUntil: LONG_AGO,
    echo: undefined,
    restarts: state.restarts + 1,
    readerSaw: state.log.length,
  };
  if (without !== 'T10') return fresh;
  // For T10: what is listed counts as if it had just come, from the first echo on: the newest revision is its mark.
  const listed = state.log.findLast((each) => each.kind === 'vector');
  if (listed?.kind !== 'vector') return fresh;
  const told = untilBy({ ...fresh, marks: [{ revision: 0, sentAt: NOW }] }, listed.vector, without);
  return { ...fresh, shownUntil: told };
}

function pass(state: State): State {
  const ago = (at: Instant): Instant => Math.max(at - TICK_MS, -4 * TICK_MS) as Instant;
  // One that is a lease's length old dates nothing that still counts.
  const marks = state.marks
    .map(({ revision, sentAt }) => ({ revision, sentAt: ago(sentAt) }))
    .filter(({ sentAt }) => later(sentAt, LEASE_MS) > NOW);
  const log = state.log.map((each) => (each.kind === 'echo' ? { ...each, sentAt: ago(each.sentAt) } : each));
  const shownUntil = later(state.shownUntil, -TICK_MS);
  return {
    ...state,
    askedAt: ago(state.askedAt),
    echo: state.echo === undefined ? undefined : ago(state.echo),
    marks,
    log,
    shownUntil: shownUntil <= NOW ? LONG_AGO : shownUntil,
  };
}
