import {
  type AnswerRefusal,
  answer as answerChallenge,
  ask,
  type Challenges,
  type Clause,
  type Judgement,
  judgeReport,
  judgeSuccessor,
  LEASE_MS,
  NO_CHALLENGES,
  type Renewal,
  type Report,
  type ReportingSession,
  remainingMs,
  successorOf,
  type World,
} from '@sallyport/authority';
import { type ConfigRevision, type GatewayId, type Instant, LONG_AGO, type Nonce, type OwnerEpoch } from '@sallyport/model';
import { type Capabilities, type GatewayMessage, NO_EPOCH, type OwnershipState, type SupervisorMessage } from './messages.ts';

/** The gateway's end of one session. Everything in it dies with the session; what must last is in the store. */
export interface GatewayEnd {
  readonly session: ReportingSession;
  readonly capabilities: Capabilities;
  readonly told: { readonly epoch: OwnerEpoch; readonly state: OwnershipState };
  /** The snapshot that waits for its answer: one at a time. */
  readonly inFlight: ConfigRevision | undefined;
  /** How the supervisor answered its newest configuration. */
  readonly answered: ConfigurationAnswer | undefined;
  /** The newest heartbeat without an answer: it waits until the supervisor holds what is declared. */
  readonly heartbeat: number | undefined;
  readonly challenges: Challenges;
  /** The newest report whose installation is on record; it rides on renewal vectors until it is too old or judged bad. */
  readonly evidence: Evidence | undefined;
  /** Sequence of the newest report that was acknowledged by a lease. */
  readonly leasedSequence: number;
  /** The newest report that was accepted, or refused only because this supervisor rejected the configuration. */
  readonly lastGoodReportAt: Instant;
}

export interface ConfigurationAnswer {
  readonly revision: ConfigRevision;
  readonly hash: string;
  readonly ownerEpoch: OwnerEpoch;
  /** Undefined: applied. */
  readonly rejection: string | undefined;
}

export interface Evidence {
  readonly report: Report;
  readonly sequence: number;
  readonly challengeSentAt: Instant;
  readonly boundaryNonce: Nonce | undefined;
}

export type GatewayEvent =
  | { readonly kind: 'opened'; readonly gatewayId: GatewayId }
  | { readonly kind: 'message'; readonly message: SupervisorMessage }
  /** The view of the store moved. */
  | { readonly kind: 'world' }
  /** A renewal vector is due in CHALLENGE_LEAD_MS: its report must be asked for now. */
  | { readonly kind: 'challenge-due' }
  /** The installation that this report asks for is on record: by a commit just now, or already. */
  | { readonly kind: 'published'; readonly evidence: Evidence; readonly byCommit: boolean }
  /** A renewal vector that carried this report came back on the watch. */
  | { readonly kind: 'renewed'; readonly evidence: Evidence };

export type GatewayEffect =
  | { readonly kind: 'send'; readonly message: GatewayMessage }
  /** Write offered → owned (or fencing → owned), guarded by what was seen. */
  | { readonly kind: 'acknowledge'; readonly answer: ConfigurationAnswer }
  /** The report stands: find the endpoint and, if anything differs from the record, publish. */
  | { readonly kind: 'publish'; readonly judgement: Judgement; readonly evidence: Evidence }
  /** The report stands for a member that is to follow the owner: keep it ready beside the owner's. */
  | { readonly kind: 'prepare'; readonly judgement: Judgement; readonly evidence: Evidence }
  /** The owner has let go of this epoch: write it, then acknowledge. */
  | { readonly kind: 'released'; readonly epoch: OwnerEpoch }
  | { readonly kind: 'answered'; readonly answer: ConfigurationAnswer }
  | { readonly kind: 'refused'; readonly clause: Clause | AnswerRefusal }
  /** The record no longer knows this session, or the supervisor broke the protocol. */
  | { readonly kind: 'end'; readonly clause: string; readonly reason: string };

export interface GatewayContext {
  readonly now: Instant;
  readonly world: World;
  /** A fresh random value, should this step need one. */
  readonly nonce: Nonce;
  /** How old the gateway's own view is; undefined while it holds no authority: then nothing is renewed. */
  readonly ageMs: number | undefined;
  /** The owner should let go: its member drains. */
  readonly wantsRelease: boolean;
}

export interface GatewayStep {
  readonly state: GatewayEnd;
  readonly effects: readonly GatewayEffect[];
}

export const startGatewayEnd = (session: ReportingSession, capabilities: Capabilities): GatewayEnd => ({
  session,
  capabilities,
  told: { epoch: NO_EPOCH, state: 'none' },
  inFlight: undefined,
  answered: undefined,
  heartbeat: undefined,
  challenges: NO_CHALLENGES,
  evidence: undefined,
  leasedSequence: 0,
  lastGoodReportAt: LONG_AGO,
});

export function stepGateway(state: GatewayEnd, event: GatewayEvent, context: GatewayContext): GatewayStep {
  switch (event.kind) {
    case 'opened':
      // Accepted is always the first message; all else may follow in any order.
      return after(
        { state, effects: [send({ kind: 'accepted', sessionId: state.session.sessionId, gatewayId: event.gatewayId })] },
        (opened) => follow(opened, context, true),
        (told) => challenge(told, context),
      );
    case 'message':
      return receive(state, event.message, context);
    case 'world':
      return follow(state, context, false);
    case 'challenge-due':
      return challengeDue(state, context);
    case 'published':
      return published(state, event, context);
    case 'renewed':
      return renewed(state, event.evidence, context);
  }
}

/** What this session asks the next vector to carry; undefined when its evidence is too old or would be refused now. */
export function renewalOf(
  state: GatewayEnd,
  world: World,
  now: Instant,
): { readonly renewal: Renewal; readonly evidence: Evidence } | undefined {
  const { evidence, session } = state;
  if (evidence === undefined || !judgeReport(world, session, evidence.report).ok) return undefined;
  const left = remainingMs(evidence.challengeSentAt, now);
  if (left === 0) return undefined;
  return { evidence, renewal: { sessionId: session.sessionId, reportSequence: evidence.sequence, remainingMs: left } };
}

const quiet = (state: GatewayEnd): GatewayStep => ({ state, effects: [] });
const send = (message: GatewayMessage): GatewayEffect => ({ kind: 'send', message });

/** Does one thing after another; nothing follows the end of the session. */
function after(first: GatewayStep, ...rest: readonly ((state: GatewayEnd) => GatewayStep)[]): GatewayStep {
  return rest.reduce<GatewayStep>((done, next) => {
    if (done.effects.some((effect) => effect.kind === 'end')) return done;
    const { state, effects } = next(done.state);
    return { state, effects: [...done.effects, ...effects] };
  }, first);
}

/** Tells what changed on record: whose the sandbox is, and (to those who take pushes) what is declared. */
function follow(state: GatewayEnd, context: GatewayContext, opening: boolean): GatewayStep {
  const { world } = context;
  const { sandboxId, memberId, sessionId, credentialEpoch } = state.session;
  const onRecord = world.session(sandboxId, memberId);
  if (onRecord === undefined || onRecord.value.sessionId !== sessionId)
    return end(state, 'session', 'another session has taken its place');
  if (world.sandboxes.get(sandboxId)?.value.runtimeId !== onRecord.value.runtimeId) {
    return end(state, 'runtime', 'the workload was replaced or deleted');
  }
  if (world.credentials.get(sandboxId)?.value !== credentialEpoch) return end(state, 'credential', 'its credential was revoked');
  const tenure = tenureOf(state, world);
  const changed = tenure.epoch !== state.told.epoch || tenure.state !== state.told.state;
  return after(
    changed || opening
      ? {
          state: { ...state, told: tenure },
          effects: [send({ kind: 'ownership', ownerEpoch: tenure.epoch, state: tenure.state })],
        }
      : quiet(state),
    (told) => push(told, world),
    // At once on becoming owner: publication should not wait for the next tick.
    (told) => (changed && tenure.state === 'owned' && !opening ? challenge(told, context) : quiet(told)),
    (told) => askRelease(told, context),
  );
}

function tenureOf(state: GatewayEnd, world: World): GatewayEnd['told'] {
  const owner = world.owners.get(state.session.sandboxId)?.value;
  if (owner?.kind === 'owned' && owner.by === state.session.memberId) return { epoch: owner.epoch, state: 'owned' };
  if (owner?.kind === 'offered' && owner.to === state.session.memberId) return { epoch: owner.epoch, state: 'offered' };
  // The suspect itself, back again: it may have its sandbox back by acknowledging the fencing epoch.
  if (owner?.kind === 'fencing' && owner.from === state.session.memberId) return { epoch: owner.epoch, state: 'offered' };
  return { epoch: NO_EPOCH, state: 'none' };
}

function push(state: GatewayEnd, world: World): GatewayStep {
  const config = world.configs.get(state.session.sandboxId)?.value;
  if (!state.capabilities.push || state.inFlight !== undefined || config === undefined) return quiet(state);
  if (holds(state.answered, config)) return quiet(state);
  return { state: { ...state, inFlight: config.revision }, effects: [send({ kind: 'configuration', configuration: config })] };
}

/** A supervisor that moved here from another gateway may be ahead of what was sent to it before it said so. */
const holds = (
  answered: ConfigurationAnswer | undefined,
  { revision, hash }: { revision: ConfigRevision; hash: string },
): boolean =>
  answered !== undefined && (answered.revision > revision || (answered.revision === revision && answered.hash === hash));

function askRelease(state: GatewayEnd, context: GatewayContext): GatewayStep {
  if (!context.wantsRelease || state.told.state !== 'owned') return quiet(state);
  return { state, effects: [send({ kind: 'release', ownerEpoch: state.told.epoch })] };
}

function challenge(state: GatewayEnd, context: GatewayContext): GatewayStep {
  if (!state.capabilities.advertisements || context.ageMs === undefined) return quiet(state);
  const { challenges, asked } = ask(state.challenges, context.nonce, context.now);
  return {
    state: { ...state, challenges },
    effects: [send({ kind: 'challenge', nonce: asked.nonce, sequence: asked.sequence })],
  };
}

function challengeDue(state: GatewayEnd, context: GatewayContext): GatewayStep {
  const { answered, told } = state;
  // The write of an acknowledgement may have failed, or its outcome may be unknown: say it again while it is wanted.
  const pending = told.state === 'offered' && answered?.ownerEpoch === told.epoch;
  return after(
    { state, effects: pending ? [{ kind: 'acknowledge', answer: answered }] : [] },
    (next) => challenge(next, context),
    (next) => askRelease(next, context),
  );
}

function receive(state: GatewayEnd, message: SupervisorMessage, context: GatewayContext): GatewayStep {
  switch (message.kind) {
    case 'applied':
      return acknowledged(state, { ...message, rejection: undefined }, context);
    case 'rejected':
      return acknowledged(state, { ...message, rejection: message.reason }, context);
    case 'report':
      return judge(state, message, context);
    case 'heartbeat':
      return renewFreshness({ ...state, heartbeat: message.sequence }, context);
    case 'released':
      return { state, effects: [{ kind: 'released', epoch: message.ownerEpoch }] };
    case 'fence-answer':
      return quiet(state);
  }
}

/**
 * Freshness says that what the supervisor holds was what is declared, `age` ago. So the answer waits while something newer
 * has yet to reach it: by its next poll, or behind a push that is not answered. And without authority nothing is renewed:
 * a gateway cut off from the store must not keep withdrawn routes alive.
 */
function renewFreshness(state: GatewayEnd, { world, ageMs }: GatewayContext): GatewayStep {
  const declared = world.configs.get(state.session.sandboxId)?.value.revision;
  const delivered = state.inFlight ?? state.answered?.revision;
  if (state.heartbeat === undefined || ageMs === undefined) return quiet(state);
  if (declared === undefined || delivered === undefined || delivered < declared) return quiet(state);
  return {
    state: { ...state, heartbeat: undefined },
    effects: [send({ kind: 'heartbeat-ack', sequence: state.heartbeat, ageMs: Math.ceil(ageMs) })],
  };
}

function acknowledged(state: GatewayEnd, given: ConfigurationAnswer, context: GatewayContext): GatewayStep {
  const answered: ConfigurationAnswer = {
    revision: given.revision,
    hash: given.hash,
    ownerEpoch: given.ownerEpoch,
    rejection: given.rejection,
  };
  const takes = state.told.state === 'offered' && answered.ownerEpoch === state.told.epoch;
  const inFlight = state.inFlight !== undefined && state.inFlight <= answered.revision ? undefined : state.inFlight;
  return after(
    {
      state: { ...state, answered, inFlight },
      effects: [{ kind: 'answered', answer: answered }, ...(takes ? ([{ kind: 'acknowledge', answer: answered }] as const) : [])],
    },
    (told) => push(told, context.world),
    (told) => renewFreshness(told, context),
    // The report about the configuration before it is stale now; waiting for the tick could let the lease lapse.
    (told) => (told.told.state === 'owned' || isSuccessor(told, context.world) ? challenge(told, context) : quiet(told)),
  );
}

const isSuccessor = ({ session }: GatewayEnd, world: World): boolean =>
  successorOf(world, session.sandboxId) === session.memberId;

function judge(state: GatewayEnd, message: Extract<SupervisorMessage, { kind: 'report' }>, context: GatewayContext): GatewayStep {
  const answered = answerChallenge(state.challenges, message, context.now);
  if (!answered.ok) return { state, effects: [{ kind: 'refused', clause: answered.error }] };
  const used = { ...state, challenges: answered.value.challenges };
  const evidence: Evidence = {
    report: message.report,
    sequence: message.sequence,
    challengeSentAt: answered.value.answered.sentAt,
    boundaryNonce: message.boundaryNonce,
  };
  const judgement = judgeReport(context.world, state.session, message.report);
  if (judgement.ok) {
    return {
      state: { ...used, lastGoodReportAt: context.now },
      effects: [{ kind: 'publish', judgement: judgement.value, evidence }],
    };
  }
  const follows = judgeSuccessor(context.world, state.session, message.report);
  if (follows.ok) return { state: used, effects: [{ kind: 'prepare', judgement: follows.value, evidence }] };
  // It lives and holds what is declared, but rejected it, as any other member would: no reason to take the sandbox away.
  const rejects = judgement.error === 'routes' && state.answered?.rejection !== undefined;
  return {
    state: rejects ? { ...used, lastGoodReportAt: context.now } : used,
    effects: [{ kind: 'refused', clause: judgement.error }],
  };
}

function published(state: GatewayEnd, event: Extract<GatewayEvent, { kind: 'published' }>, context: GatewayContext): GatewayStep {
  const newest = state.evidence === undefined || event.evidence.sequence > state.evidence.sequence;
  const next = newest ? { ...state, evidence: event.evidence } : state;
  // The commit compared every revision that was judged, so it is itself the proof; a record that merely stands already
  // waits for its vector.
  return event.byCommit ? lease(next, event.evidence, context) : quiet(next);
}

function renewed(state: GatewayEnd, evidence: Evidence, context: GatewayContext): GatewayStep {
  if (evidence.sequence <= state.leasedSequence) return quiet(state);
  // Judged again, against the view as it is now that the vector has come back: a fence may have been committed before it.
  const judgement = judgeReport(context.world, state.session, evidence.report);
  if (!judgement.ok) return { state, effects: [{ kind: 'refused', clause: judgement.error }] };
  return lease(state, evidence, context);
}

function lease(state: GatewayEnd, { sequence, report }: Evidence, context: GatewayContext): GatewayStep {
  if (context.ageMs === undefined || sequence <= state.leasedSequence) return quiet(state);
  return {
    state: { ...state, leasedSequence: sequence },
    effects: [
      send({
        kind: 'serving-lease',
        ackOfReport: sequence,
        ownerEpoch: report.ownerEpoch,
        ttlMs: LEASE_MS,
        boundaryToken: undefined,
      }),
    ],
  };
}

const end = (state: GatewayEnd, clause: string, reason: string): GatewayStep => ({
  state,
  effects: [{ kind: 'end', clause, reason }],
});
