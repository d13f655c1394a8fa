import type { AnswerRefusal, Challenges, Clause, Judgement, Report, ReportingSession, World } from '@sallyport/authority';
import type { ConfigRevision, GatewayId, Instant, Nonce, OwnerEpoch, RuntimeId } from '@sallyport/model';
import type { Capabilities, GatewayMessage, OwnershipState, ServingLease, SupervisorMessage } from './messages.ts';

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
  /** What this member was asked to carry to the boundary. */
  readonly fence: AskedFence | undefined;
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

/** The word of a boundary that is waited for. */
export interface AskedFence {
  readonly epoch: OwnerEpoch;
  /** The runtime that the fenced epoch served: nobody else can confirm. */
  readonly runtimeId: RuntimeId;
  readonly nonce: Nonce;
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
  /** Sign for the boundary that this report's nonce is of, then send both: the owner was on record in this very step. */
  | { readonly kind: 'lease'; readonly lease: ServingLease; readonly boundaryNonce: Nonce }
  /** Sign it, then send it: it is on record. */
  | { readonly kind: 'fence'; readonly fence: AskedFence }
  /** Verify it: only the boundary itself can say it. */
  | { readonly kind: 'fence-answer'; readonly fence: AskedFence; readonly answer: Uint8Array }
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
