import type { Judgement, ReportingSession, World } from '@sallyport/authority';
import type { GatewayId, Instant, Nonce, OwnerEpoch, SandboxId, SessionId } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import {
  type AskedFence,
  type Capabilities,
  type ConfigurationAnswer,
  type Evidence,
  type GatewayEffect,
  type GatewayEnd,
  type GatewayEvent,
  type GatewayMessage,
  type ServingLease,
  startGatewayEnd,
  stepGateway,
} from '@sallyport/session';
import type { Publication } from './publish.ts';

/** One open session: the state machine, and the stream that it speaks on. */
export interface LiveSession {
  readonly sandboxId: SandboxId;
  readonly sessionId: SessionId;
  state(): GatewayEnd;
  step(event: GatewayEvent): void;
  /** The stream is over. Clears this session only: another may have taken its place long ago. */
  close(): void;
  /** Ends the stream, with what fenced it. */
  end(clause: string, reason: string): void;
}

/** What the machine asks of the world around it. */
export interface SessionActs {
  acknowledge(state: GatewayEnd, answer: ConfigurationAnswer): void;
  publish(session: ReportingSession, judgement: Judgement, evidence: Evidence): Promise<Publication>;
  prepare(session: ReportingSession, judgement: Judgement, evidence: Evidence): void;
  /** Signs for the boundary; the message to send then. */
  lease(session: ReportingSession, lease: ServingLease, boundaryNonce: Nonce): Promise<GatewayMessage>;
  fence(session: ReportingSession, fence: AskedFence): Promise<GatewayMessage | undefined>;
  fenceAnswered(session: ReportingSession, fence: AskedFence, answer: Uint8Array): void;
  /** The stream is over, for whatever reason. */
  lost(session: ReportingSession): void;
  released(state: GatewayEnd, epoch: OwnerEpoch, acknowledged: () => void): void;
  refused(state: GatewayEnd, clause: string): void;
}

export interface Sessions {
  open(
    session: ReportingSession,
    capabilities: Capabilities,
    stream: { send(message: GatewayMessage): void; end(clause: string, reason: string): void },
  ): LiveSession;
  /** The records of these sandboxes have moved. */
  moved(sandboxIds: Iterable<SandboxId>): void;
  all(): Iterable<LiveSession>;
  count(): number;
  /** How often one was opened or ended; never the same for two sets of sessions. */
  changeCount(): number;
  /** How the sandbox's newest configuration was answered, by whoever holds a session about it here. */
  answers(sandboxId: SandboxId): readonly ConfigurationAnswer[];
  /** What only the holder of a session knows, also for a while after its end. */
  observed(
    sessionId: SessionId,
  ): { readonly lostAt: Instant | undefined; readonly lastGoodReportAt: Instant | undefined } | undefined;
}

export interface SessionsOptions {
  readonly gatewayId: () => GatewayId;
  readonly world: World;
  readonly acts: SessionActs;
  readonly ageMs: () => number | undefined;
  readonly wantsRelease: (session: ReportingSession) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomId: () => string;
}

/** Ended sessions that are remembered for suspicion; the oldest go first. */
const ENDED_MAX = 50_000;

export function createSessions(options: SessionsOptions): Sessions {
  const { world, acts, clock, log, randomId } = options;
  const live = new Map<SessionId, LiveSession>();
  const bySandbox = new Map<SandboxId, Set<LiveSession>>();
  const ended = new Map<SessionId, Instant>();
  let changeCount = 0;

  function remember(sessionId: SessionId): Instant {
    const now = clock.now();
    ended.set(sessionId, now);
    for (const oldest of ended.keys()) {
      if (ended.size <= ENDED_MAX) break;
      ended.delete(oldest);
    }
    return now;
  }

  function open(session: ReportingSession, capabilities: Capabilities, stream: Parameters<Sessions['open']>[2]): LiveSession {
    const { sandboxId, sessionId } = session;
    let state = startGatewayEnd(session, capabilities);
    const openedAt = clock.now();
    let closed = false;
    let refusedBy: string | undefined;

    function step(event: GatewayEvent): void {
      if (closed) return;
      const stepped = stepGateway(state, event, {
        now: clock.now(),
        world,
        // Few steps need these two, and with thousands of sessions they were most of what a step cost.
        get nonce() {
          return randomId() as Nonce;
        },
        get wantsRelease() {
          return options.wantsRelease(session);
        },
        ageMs: options.ageMs(),
      });
      state = stepped.state;
      for (const effect of stepped.effects) act(effect);
    }

    function act(effect: GatewayEffect): void {
      switch (effect.kind) {
        case 'send':
          stream.send(effect.message);
          break;
        case 'lease':
          void acts.lease(session, effect.lease, effect.boundaryNonce).then(sendWhileOpen);
          break;
        case 'fence':
          void acts.fence(session, effect.fence).then(sendWhileOpen);
          break;
        case 'fence-answer':
          acts.fenceAnswered(session, effect.fence, effect.answer);
          break;
        case 'acknowledge':
          acts.acknowledge(state, effect.answer);
          break;
        case 'publish':
          void acts.publish(session, effect.judgement, effect.evidence).then((publication) => {
            if (publication.kind === 'withheld') {
              log.debug({ sandboxId, sessionId, why: publication.why }, 'publication withheld');
              // The report itself stands: a shared supervisor must keep its lease while the driver is away.
              return step({ kind: 'published', evidence: effect.evidence, byCommit: false });
            }
            return step({ kind: 'published', evidence: effect.evidence, byCommit: publication.kind === 'committed' });
          });
          break;
        case 'prepare':
          acts.prepare(session, effect.judgement, effect.evidence);
          break;
        case 'released':
          acts.released(state, effect.epoch, () => stream.send({ kind: 'release-ack', ownerEpoch: effect.epoch }));
          break;
        case 'answered': {
          const { revision, rejection } = effect.answer;
          if (rejection !== undefined)
            log.warn({ sandboxId, sessionId, configRevision: revision, reason: rejection }, 'configuration rejected');
          return;
        }
        case 'refused':
          // Said once; a supervisor that goes on being refused for one reason would fill the log, and is counted.
          log[effect.clause === refusedBy ? 'debug' : 'info']({ sandboxId, sessionId, clause: effect.clause }, 'report refused');
          refusedBy = effect.clause;
          acts.refused(state, effect.clause);
          break;
        case 'end':
          end(effect.clause, effect.reason);
          break;
      }
    }

    function sendWhileOpen(message: GatewayMessage | undefined): void {
      if (!closed && message !== undefined) stream.send(message);
    }

    function end(clause: string, reason: string): void {
      log.info({ sandboxId, sessionId, clause }, 'session ended by the record');
      stream.end(clause, reason);
      close();
    }

    function close(): void {
      if (closed) return;
      closed = true;
      live.delete(sessionId);
      changeCount += 1;
      const rest = bySandbox.get(sandboxId);
      rest?.delete(opened);
      if (rest?.size === 0) bySandbox.delete(sandboxId);
      remember(sessionId);
      acts.lost(session);
    }

    const opened: LiveSession & { readonly openedAt: Instant } = {
      sandboxId,
      sessionId,
      openedAt,
      state: () => state,
      step,
      close,
      end,
    };
    live.set(sessionId, opened);
    changeCount += 1;
    ended.delete(sessionId);
    const rest = bySandbox.get(sandboxId) ?? new Set();
    bySandbox.set(sandboxId, rest.add(opened));
    step({ kind: 'opened', gatewayId: options.gatewayId() });
    return opened;
  }

  return {
    open,
    moved(sandboxIds) {
      for (const sandboxId of sandboxIds)
        for (const session of [...(bySandbox.get(sandboxId) ?? [])]) session.step({ kind: 'world' });
    },
    all: () => live.values(),
    count: () => live.size,
    changeCount: () => changeCount,
    answers: (sandboxId) =>
      [...(bySandbox.get(sandboxId) ?? [])].map((session) => session.state().answered).filter((answer) => answer !== undefined),
    observed(sessionId) {
      const session = live.get(sessionId) as (LiveSession & { readonly openedAt: Instant }) | undefined;
      if (session === undefined) {
        // On record but never opened: its opening died half way. It counts as lost from when it was first missed.
        return { lostAt: ended.get(sessionId) ?? remember(sessionId), lastGoodReportAt: undefined };
      }
      const state = session.state();
      // A supervisor that never reports (an older one) is judged by its stream alone.
      if (!state.capabilities.advertisements) return { lostAt: undefined, lastGoodReportAt: undefined };
      return {
        lostAt: undefined,
        lastGoodReportAt: Math.max(state.lastGoodReportAt, session.openedAt) as Instant,
      };
    },
  };
}
