import {
  answer as answerChallenge,
  ask,
  fenceBearer,
  judgeReport,
  judgeSuccessor,
  LEASE_MS,
  NO_CHALLENGES,
  type Renewal,
  type ReportingSession,
  remainingMs,
  successorOf,
  type World,
} from '@sallyport/authority';
import { type ConfigRevision, type Instant, LONG_AGO } from '@sallyport/model';
import type {
  AskedFence,
  ConfigurationAnswer,
  Evidence,
  GatewayContext,
  GatewayEffect,
  GatewayEnd,
  GatewayEvent,
  GatewayStep,
} from './gateway-step.ts';
import { type Capabilities, type GatewayMessage, NO_EPOCH, type ServingLease, type SupervisorMessage } from './messages.ts';

export const startGatewayEnd = (session: ReportingSession, capabilities: Capabilities): GatewayEnd => ({
  session,
  capabilities,
  told: { epoch: NO_EPOCH, state: 'none' },
  inFlight: undefined,
  answered: undefined,
  heartbeat: undefined,
  challenges: NO_CHALLENGES,
  evidence: undefined,
  fence: undefined,
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
    (told) => askFence(told, context),
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

/** Once for each fence; again when the beat comes round without an answer. */
function askFence(state: GatewayEnd, { world, nonce }: GatewayContext): GatewayStep {
  const { sandboxId, memberId } = state.session;
  const owner = world.owners.get(sandboxId)?.value;
  if (owner?.kind !== 'fencing' || fenceBearer(world, sandboxId) !== memberId) return quiet({ ...state, fence: undefined });
  if (state.fence?.epoch === owner.epoch) return quiet(state);
  const fence: AskedFence = { epoch: owner.epoch, runtimeId: owner.runtimeId, nonce };
  return { state: { ...state, fence }, effects: [{ kind: 'fence', fence }] };
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
    (next) => askFence({ ...next, fence: undefined }, context),
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
      if (state.fence === undefined) return quiet(state);
      return { state, effects: [{ kind: 'fence-answer', fence: state.fence, answer: message.answer }] };
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

function lease(state: GatewayEnd, { sequence, report, boundaryNonce }: Evidence, context: GatewayContext): GatewayStep {
  if (context.ageMs === undefined || sequence <= state.leasedSequence) return quiet(state);
  const lease: ServingLease = {
    kind: 'serving-lease',
    ackOfReport: sequence,
    ownerEpoch: report.ownerEpoch,
    ttlMs: LEASE_MS,
    boundaryToken: undefined,
  };
  return {
    state: { ...state, leasedSequence: sequence },
    effects: [boundaryNonce === undefined ? send(lease) : { kind: 'lease', lease, boundaryNonce }],
  };
}

const end = (state: GatewayEnd, clause: string, reason: string): GatewayStep => ({
  state,
  effects: [{ kind: 'end', clause, reason }],
});
