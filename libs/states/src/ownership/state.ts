import type { Held, Ownership } from '@sallyport/authority';
import type { Instant, OwnerEpoch, StoreRevision } from '@sallyport/model';
import type { Evidence, GatewayEnd, GatewayMessage, SupervisorEnd } from '@sallyport/session';

/**
 * One sandbox, two gateways, two members; member i has its Join and its session at gateway i. Between them everything takes
 * as long as it likes. Time is what all clocks say: `now` is 0, and what lies ahead or behind is counted from it.
 */
export interface State {
  /** On record. */
  readonly owner: Held<Ownership>;
  readonly installation: Installed | undefined;
  /** How many tenures were begun by suspicion or by a release. */
  readonly changes: number;
  readonly gateways: readonly [Gateway, Gateway];
  readonly members: readonly [Member, Member];
}

export interface Gateway {
  /** What was committed and it has yet to see, oldest first. */
  readonly unseen: readonly Committed[];
  /** As it sees it. */
  readonly owner: Held<Ownership>;
  readonly end: GatewayEnd;
  readonly seenAt: Instant;
  /** The wait that has begun, by the epoch that was owned. */
  readonly fenced: { readonly ownedEpoch: OwnerEpoch; readonly fencedAt: Instant } | undefined;
  /** When its newest vector that has come back was sent. */
  readonly echoSentAt: Instant;
  /** Under way to the store, one of each. */
  readonly write: Write | undefined;
  readonly publication: Publication | undefined;
}

export interface Member {
  readonly end: SupervisorEnd;
  /** In the order of its stream. */
  readonly toMember: readonly GatewayMessage[];
  /** Epochs that it has said to have released: said again late, by a stream that is long over. */
  readonly saidEpochs: readonly OwnerEpoch[];
  /** What its lease was when it let go. */
  readonly heldUntil: Instant;
}

export interface Write {
  readonly to: Ownership;
  /** The owner's revision that must stand. */
  readonly over: StoreRevision;
  /** The member hears of it when it is written. */
  readonly releases: OwnerEpoch | undefined;
}

export interface Vector {
  readonly sentAt: Instant;
  readonly evidence: Evidence | undefined;
}

export interface Publication {
  readonly evidence: Evidence;
  readonly judged: StoreRevision;
}

export interface Installed {
  /** The revision of the owner that was judged. */
  readonly judged: StoreRevision;
  readonly by: 0 | 1;
}

export type Committed =
  | { readonly kind: 'owner'; readonly held: Held<Ownership> }
  | { readonly kind: 'vector'; readonly vector: Vector };

export const withGateway = (state: State, by: 0 | 1, gateway: Gateway): State => ({
  ...state,
  gateways: by === 0 ? [gateway, state.gateways[1]] : [state.gateways[0], gateway],
});

export const withMember = (state: State, by: 0 | 1, member: Member): State => ({
  ...state,
  members: by === 0 ? [member, state.members[1]] : [state.members[0], member],
});
