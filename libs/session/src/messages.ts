import type { Report } from '@sallyport/authority';
import type {
  ConfigRevision,
  Configuration,
  GatewayId,
  MemberId,
  Nonce,
  OwnerEpoch,
  RuntimeId,
  SandboxId,
  SessionId,
} from '@sallyport/model';

/** The conversation of DESIGN section 4 as plain values; libs/wire carries them. */

/** Absent on the wire is false: an older supervisor gets no challenges and no leases, and works on. */
export interface Capabilities {
  readonly advertisements: boolean;
  readonly push: boolean;
}

export interface Hello {
  readonly sandboxId: SandboxId;
  readonly runtimeId: RuntimeId;
  readonly memberId: MemberId;
  /** Secret. */
  readonly credential: string;
  readonly capabilities: Capabilities;
}

export type SupervisorMessage =
  | { readonly kind: 'applied'; readonly revision: ConfigRevision; readonly hash: string; readonly ownerEpoch: OwnerEpoch }
  | {
      readonly kind: 'rejected';
      readonly revision: ConfigRevision;
      readonly hash: string;
      readonly ownerEpoch: OwnerEpoch;
      readonly reason: string;
    }
  | {
      readonly kind: 'report';
      readonly nonce: Nonce;
      readonly sequence: number;
      readonly report: Report;
      readonly boundaryNonce: Nonce | undefined;
    }
  | { readonly kind: 'heartbeat'; readonly sequence: number }
  | { readonly kind: 'released'; readonly ownerEpoch: OwnerEpoch }
  | { readonly kind: 'fence-answer'; readonly answer: Uint8Array };

/** What the record says about one member: not its own, offered to it, or owned by it. */
export type OwnershipState = 'none' | 'offered' | 'owned';

export type GatewayMessage =
  | { readonly kind: 'accepted'; readonly sessionId: SessionId; readonly gatewayId: GatewayId }
  | { readonly kind: 'ownership'; readonly ownerEpoch: OwnerEpoch; readonly state: OwnershipState }
  | { readonly kind: 'configuration'; readonly configuration: Configuration }
  | { readonly kind: 'challenge'; readonly nonce: Nonce; readonly sequence: number }
  | {
      readonly kind: 'serving-lease';
      readonly ackOfReport: number;
      readonly ownerEpoch: OwnerEpoch;
      readonly ttlMs: number;
      readonly boundaryToken: string | undefined;
    }
  | { readonly kind: 'heartbeat-ack'; readonly sequence: number; readonly ageMs: number }
  | { readonly kind: 'release'; readonly ownerEpoch: OwnerEpoch }
  | { readonly kind: 'release-ack'; readonly ownerEpoch: OwnerEpoch }
  | { readonly kind: 'fence'; readonly token: string };

export type ServingLease = Extract<GatewayMessage, { kind: 'serving-lease' }>;

export const NO_EPOCH = 0n as OwnerEpoch;
