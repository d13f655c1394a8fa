import {
  freshDeadline,
  HEARTBEAT_EVERY_MS,
  type InstalledRoute,
  leaseDeadline,
  type Mode,
  type Standing,
  startStanding,
} from '@sallyport/authority';
import {
  type ConfigRevision,
  type Configuration,
  type Instant,
  later,
  type MemberId,
  type Nonce,
  type OwnerEpoch,
  type RuntimeId,
  type SandboxId,
  type SessionId,
} from '@sallyport/model';
import { type GatewayMessage, NO_EPOCH, type OwnershipState, type ServingLease, type SupervisorMessage } from './messages.ts';

/**
 * The supervisor's end: one instance and the session it happens to have. The instance outlives its sessions: losing a
 * gateway takes nothing but time from it.
 */
export interface SupervisorEnd {
  readonly sandboxId: SandboxId;
  readonly runtimeId: RuntimeId;
  readonly memberId: MemberId;
  readonly standing: Standing;
  readonly ownership: { readonly epoch: OwnerEpoch; readonly state: OwnershipState };
  /** The newest configuration that was answered, and how. */
  readonly answered: AnsweredConfiguration | undefined;
  /** The epoch that was released and not yet acknowledged as such: repeated until it is. */
  readonly releasing: OwnerEpoch | undefined;
  /** The newest epoch that was released: final, whoever says later that it is owned. */
  readonly releasedEpoch: OwnerEpoch;
  readonly session: OpenSession | undefined;
}

export interface AnsweredConfiguration {
  readonly revision: ConfigRevision;
  readonly hash: string;
  /** Undefined: applied. Otherwise why it was rejected. */
  readonly rejection: string | undefined;
}

/** What dies with the stream. */
interface OpenSession {
  readonly sessionId: SessionId;
  /** Whether this gateway has heard how the newest configuration was answered. */
  readonly hasAnswer: boolean;
  readonly nextHeartbeatAt: Instant;
  readonly nextHeartbeat: number;
  /** Oldest first, at most {@link UNANSWERED_MAX}. */
  readonly heartbeats: readonly Sent[];
  readonly reports: readonly SentReport[];
}

interface Sent {
  readonly sequence: number;
  readonly sentAt: Instant;
}

interface SentReport extends Sent {
  readonly ownerEpoch: OwnerEpoch;
}

/** Questions without an answer that are worth remembering: older ones could no longer prolong anything. */
export const UNANSWERED_MAX = 8;

export type SupervisorEvent =
  | { readonly kind: 'message'; readonly message: GatewayMessage }
  /** What became of an `install` effect. */
  | { readonly kind: 'installed'; readonly configuration: Configuration; readonly rejection: string | undefined }
  /** A poll that was sent at `askedAt` has been answered; without a configuration: not modified. */
  | {
      readonly kind: 'polled';
      readonly askedAt: Instant;
      readonly ageMs: number;
      readonly configuration: Configuration | undefined;
    }
  | { readonly kind: 'tick' }
  /** What the boundary said to a `fence` effect. */
  | { readonly kind: 'fence-answered'; readonly answer: Uint8Array }
  /** The process leaves and was not asked for its sandbox: better given up than lost. */
  | { readonly kind: 'let-go' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'stop' };

export type SupervisorEffect =
  | { readonly kind: 'send'; readonly message: SupervisorMessage }
  /** Install it whole, or not at all, and say which by an `installed` event. */
  | { readonly kind: 'install'; readonly configuration: Configuration }
  /** Stop admitting; idle connections may go. */
  | { readonly kind: 'released' }
  /** Present it to the boundary at once. */
  | { readonly kind: 'boundary-token'; readonly token: string }
  /** Carry it to the boundary, and say what it answers by a `fence-answered` event. */
  | { readonly kind: 'fence'; readonly token: string }
  /** The gateway broke the protocol: end the stream. */
  | { readonly kind: 'end'; readonly reason: string };

/** What is true around the instance at the moment of the step. */
export interface SupervisorContext {
  readonly now: Instant;
  readonly installed: readonly InstalledRoute[];
  readonly ready: boolean;
  readonly boundaryNonce: Nonce | undefined;
}

export interface SupervisorStep {
  readonly state: SupervisorEnd;
  readonly effects: readonly SupervisorEffect[];
}

export const startSupervisorEnd = (
  ids: { readonly sandboxId: SandboxId; readonly runtimeId: RuntimeId; readonly memberId: MemberId },
  mode: Mode,
): SupervisorEnd => ({
  ...ids,
  standing: startStanding(mode),
  ownership: { epoch: NO_EPOCH, state: 'none' },
  answered: undefined,
  releasing: undefined,
  releasedEpoch: NO_EPOCH,
  session: undefined,
});

export function stepSupervisor(state: SupervisorEnd, event: SupervisorEvent, context: SupervisorContext): SupervisorStep {
  switch (event.kind) {
    case 'message':
      return receive(state, event.message, context);
    case 'installed':
      return answer(state, event.configuration, event.rejection);
    case 'polled':
      return polled(state, event);
    case 'tick':
      return tick(state, context.now);
    case 'fence-answered':
      return state.session === undefined
        ? quiet(state)
        : { state, effects: [send({ kind: 'fence-answer', answer: event.answer })] };
    case 'let-go':
      return state.standing.released ? quiet(state) : release(state, state.ownership.epoch);
    case 'closed':
      return quiet({ ...state, session: undefined });
    case 'stop':
      return quiet({ ...state, session: undefined, standing: { ...state.standing, running: false } });
  }
}

const quiet = (state: SupervisorEnd): SupervisorStep => ({ state, effects: [] });
const send = (message: SupervisorMessage): SupervisorEffect => ({ kind: 'send', message });

function receive(state: SupervisorEnd, message: GatewayMessage, context: SupervisorContext): SupervisorStep {
  if (message.kind === 'accepted') {
    const session: OpenSession = {
      sessionId: message.sessionId,
      hasAnswer: false,
      nextHeartbeatAt: context.now,
      nextHeartbeat: 1,
      heartbeats: [],
      reports: [],
    };
    // The first heartbeat leaves at once: a new instance is fresh one round trip after its session began.
    return tick({ ...state, session }, context.now);
  }
  const { session } = state;
  if (session === undefined) return { state, effects: [{ kind: 'end', reason: `${message.kind} before accepted` }] };
  switch (message.kind) {
    case 'ownership':
      return ownership(state, message.ownerEpoch, message.state);
    case 'configuration':
      return configuration(state, message.configuration);
    case 'challenge':
      return report(state, session, message, context);
    case 'serving-lease':
      return leased(state, session, message);
    case 'heartbeat-ack': {
      const asked = session.heartbeats.find((sent) => sent.sequence === message.sequence);
      if (asked === undefined) return quiet(state);
      const heartbeats = session.heartbeats.filter((sent) => sent.sequence > message.sequence);
      return quiet(fresh({ ...state, session: { ...session, heartbeats } }, asked.sentAt, message.ageMs));
    }
    case 'release':
      return release(state, message.ownerEpoch);
    case 'release-ack':
      return quiet(state.releasing === message.ownerEpoch ? { ...state, releasing: undefined } : state);
    case 'fence':
      return { state, effects: [{ kind: 'fence', token: message.token }] };
  }
}

/** A new tenure begins unreleased; a lost one ends serving at once, whatever time was left. */
function ownership(state: SupervisorEnd, epoch: OwnerEpoch, told: OwnershipState): SupervisorStep {
  // One that was given up ends gently: what is open may go on until the authority that it held ends, and nothing renews that.
  const lingers = told === 'none' && state.standing.released;
  const next: SupervisorEnd = {
    ...state,
    ownership: { epoch, state: told },
    // Any other tenure on record means that the release is written: epochs only rise.
    releasing: told === 'owned' && epoch === state.releasing ? state.releasing : undefined,
    standing: {
      ...state.standing,
      acknowledged: told === 'owned' || lingers,
      released: lingers || (told === 'owned' && epoch <= state.releasedEpoch),
    },
  };
  // The offer came after the configuration was answered: answer it again, under the epoch that is offered.
  return told === 'offered' ? repeatAnswer(next) : quiet(next);
}

function configuration(state: SupervisorEnd, given: Configuration): SupervisorStep {
  // A delivery that was overtaken on its way: a lower revision would bring back what was withdrawn. The gateway hears what
  // is held instead, or it would wait for an answer for ever.
  if (state.answered !== undefined && given.revision < state.answered.revision) return repeatAnswer(state);
  return { state, effects: [{ kind: 'install', configuration: given }] };
}

const answer = (state: SupervisorEnd, { revision, hash }: Configuration, rejection: string | undefined): SupervisorStep =>
  repeatAnswer({ ...state, answered: { revision, hash, rejection } });

function repeatAnswer(state: SupervisorEnd): SupervisorStep {
  const { session, answered } = state;
  if (session === undefined || answered === undefined) return quiet(state);
  return {
    state: { ...state, session: { ...session, hasAnswer: true } },
    effects: [send(acknowledgement(answered, state.ownership.epoch))],
  };
}

const acknowledgement = ({ revision, hash, rejection }: AnsweredConfiguration, ownerEpoch: OwnerEpoch): SupervisorMessage =>
  rejection === undefined
    ? { kind: 'applied', revision, hash, ownerEpoch }
    : { kind: 'rejected', revision, hash, ownerEpoch, reason: rejection };

function report(
  state: SupervisorEnd,
  session: OpenSession,
  challenge: { readonly nonce: Nonce; readonly sequence: number },
  context: SupervisorContext,
): SupervisorStep {
  const { answered, ownership: tenure } = state;
  if (answered === undefined) return quiet(state);
  const sent: SentReport = { sequence: challenge.sequence, sentAt: context.now, ownerEpoch: tenure.epoch };
  const reports = [...session.reports, sent].slice(-UNANSWERED_MAX);
  return {
    state: { ...state, session: { ...session, reports } },
    effects: [
      send({
        kind: 'report',
        nonce: challenge.nonce,
        sequence: challenge.sequence,
        report: {
          sessionId: session.sessionId,
          runtimeId: state.runtimeId,
          configRevision: answered.revision,
          configHash: answered.hash,
          ownerEpoch: tenure.epoch,
          routes: context.installed,
          ready: context.ready && state.standing.running && !state.standing.released,
        },
        boundaryNonce: context.boundaryNonce,
      }),
    ],
  };
}

function leased(state: SupervisorEnd, session: OpenSession, lease: ServingLease): SupervisorStep {
  const acknowledged = session.reports.find((sent) => sent.sequence === lease.ackOfReport);
  const reports = session.reports.filter((sent) => sent.sequence > lease.ackOfReport);
  const next = { ...state, session: { ...session, reports } };
  // A release is final for its epoch: a lease that was under way may not bring the released owner back.
  const stale =
    acknowledged === undefined || lease.ownerEpoch !== acknowledged.ownerEpoch || lease.ownerEpoch !== state.ownership.epoch;
  if (stale || state.standing.released) return quiet(next);
  const effects: SupervisorEffect[] =
    lease.boundaryToken === undefined ? [] : [{ kind: 'boundary-token', token: lease.boundaryToken }];
  const leaseUntil = leaseDeadline(acknowledged.sentAt, lease.ttlMs);
  if (leaseUntil <= state.standing.leaseUntil) return { state: next, effects };
  return { state: { ...next, standing: { ...state.standing, leaseUntil } }, effects };
}

function release(state: SupervisorEnd, epoch: OwnerEpoch): SupervisorStep {
  // A late word about an earlier tenure ends nothing.
  if (state.ownership.state !== 'owned' || state.ownership.epoch !== epoch) return quiet(state);
  return {
    state: { ...state, releasing: epoch, releasedEpoch: epoch, standing: { ...state.standing, released: true } },
    effects: [{ kind: 'released' }, send({ kind: 'released', ownerEpoch: epoch })],
  };
}

function polled(state: SupervisorEnd, event: Extract<SupervisorEvent, { kind: 'polled' }>): SupervisorStep {
  const next = fresh(state, event.askedAt, event.ageMs);
  if (event.configuration !== undefined) return configuration(next, event.configuration);
  // Not modified: what this gateway has not heard yet is how it was answered.
  return state.session?.hasAnswer === false ? repeatAnswer(next) : quiet(next);
}

/**
 * Freshness never shrinks: an older question that is answered late proves less than what is known already. Nor does it
 * grow once released: what is still open lives on what was held then.
 */
function fresh(state: SupervisorEnd, askedAt: Instant, ageMs: number): SupervisorEnd {
  if (state.standing.released) return state;
  const freshUntil = freshDeadline(askedAt, ageMs);
  return freshUntil > state.standing.freshUntil ? { ...state, standing: { ...state.standing, freshUntil } } : state;
}

function tick(state: SupervisorEnd, now: Instant): SupervisorStep {
  const { session } = state;
  if (session === undefined) return quiet(state);
  const effects: SupervisorEffect[] = [];
  if (state.releasing !== undefined) effects.push(send({ kind: 'released', ownerEpoch: state.releasing }));
  if (now < session.nextHeartbeatAt) return { state, effects };
  const sequence = session.nextHeartbeat;
  effects.push(send({ kind: 'heartbeat', sequence }));
  return {
    state: {
      ...state,
      session: {
        ...session,
        nextHeartbeat: sequence + 1,
        nextHeartbeatAt: later(now, HEARTBEAT_EVERY_MS),
        heartbeats: [...session.heartbeats, { sequence, sentAt: now }].slice(-UNANSWERED_MAX),
      },
    },
    effects,
  };
}
