import type {
  ConfigRevision,
  CredentialEpoch,
  GatewayEpoch,
  GatewayId,
  Generation,
  Host,
  JoinId,
  MemberId,
  OwnerEpoch,
  PoolId,
  RuntimeId,
  SandboxName,
  ServiceName,
  SessionId,
  StoreRevision,
  WorkspaceId,
} from '@sallyport/model';

/** The durable records of DESIGN section 3, as the rules see them. Their protobuf form is libs/wire's business. */

export type Mode = 'dedicated' | 'shared';

export interface SandboxRecord {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly mode: Mode;
  readonly poolId: PoolId;
  readonly runtimeId: RuntimeId;
  /**
   * host:port of the runtime's boundary; absent: there is none. Whether there is one never changes for one runtime, since the
   * boundary's word about an owner that went around it would prove nothing.
   */
  readonly boundaryAddress?: string | undefined;
}

export interface GatewayRecord {
  readonly address: string;
  readonly version: string;
}

export interface MemberRecord {
  readonly supervisorUid: string;
  readonly ready: boolean;
  readonly draining: boolean;
  /** 0: its application listener is off. */
  readonly appPort: number;
  readonly capacity: number;
  /** Where its Join is open; `NO_GATEWAY` where that is over and nobody knows of another. */
  readonly gatewayId: GatewayId;
  readonly gatewayEpoch: GatewayEpoch;
  readonly joinId: JoinId;
}

/** Of a member that the gateway on record does not hold any more: no gateway has this id. */
export const NO_GATEWAY = 'none' as GatewayId;

/** At most one member owns a sandbox. The epoch rises at every change of owner and at every fence. */
export type Ownership =
  | { readonly kind: 'released'; readonly epoch: OwnerEpoch }
  | { readonly kind: 'offered'; readonly epoch: OwnerEpoch; readonly to: MemberId }
  | { readonly kind: 'owned'; readonly epoch: OwnerEpoch; readonly by: MemberId }
  | {
      readonly kind: 'fencing';
      readonly epoch: OwnerEpoch;
      readonly from: MemberId;
      /** The epoch under which `from` owned: the wait belongs to it, and only the runtime that it served may confirm. */
      readonly ownedEpoch: OwnerEpoch;
      readonly runtimeId: RuntimeId;
    };

export interface SessionRecord {
  readonly gatewayId: GatewayId;
  readonly gatewayEpoch: GatewayEpoch;
  readonly sessionId: SessionId;
  readonly runtimeId: RuntimeId;
  readonly credentialEpoch: CredentialEpoch;
  /** As the driver knows the member; absent where a sandbox token proved it. */
  readonly supervisorUid?: string | undefined;
}

/** One installed route as a supervisor reports it. */
export interface InstalledRoute {
  readonly service: ServiceName;
  readonly host: Host;
  readonly port: number;
}

/** Where a supervisor's application listener can be reached; always from the driver. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly podUid: string;
}

/** The revisions that were judged. The evidence counts only while each of them still stands. */
export interface FenceTuple {
  readonly generation: Generation;
  /** {@link SAME_WRITE}: the owner was written by the very transaction that wrote this record. */
  readonly owner: StoreRevision;
  readonly session: StoreRevision;
  readonly sandbox: StoreRevision;
  readonly config: StoreRevision;
  readonly credential: StoreRevision;
  /** The member's *create*-revision: marking it draining must not unpublish what it owns. */
  readonly memberCreated: StoreRevision;
}

/** A takeover writes owner and installation at once, and no transaction knows its own revision beforehand. */
export const SAME_WRITE = 0n as StoreRevision;

/** What a successor has installed and reported while the owner still owns: all that a graceful takeover needs. */
export interface Successor {
  /** The epoch of the owner that it would follow. */
  readonly follows: OwnerEpoch;
  /** Its fence's owner revision is that of the owner that it follows. */
  readonly installation: Installation;
}

export interface Installation {
  readonly sandbox: SandboxName;
  readonly routes: readonly InstalledRoute[];
  readonly endpoint: Endpoint;
  readonly fence: FenceTuple;
  readonly memberId: MemberId;
  readonly ownerEpoch: OwnerEpoch;
  readonly configRevision: ConfigRevision;
  readonly renewal: OwnRenewal;
}

/** A publication is its own first renewal. */
export interface OwnRenewal extends Renewal {
  readonly gatewayId: GatewayId;
  readonly gatewayEpoch: GatewayEpoch;
  readonly asOf: StoreRevision;
}

export interface Renewal {
  readonly sessionId: SessionId;
  readonly reportSequence: number;
  readonly remainingMs: number;
}

export interface RenewalVector {
  readonly gatewayEpoch: GatewayEpoch;
  /** The revision that the gateway's view had reached when it sent the vector. */
  readonly asOf: StoreRevision;
  readonly renewals: readonly Renewal[];
}

export interface Grant {
  readonly workspaces: readonly WorkspaceId[];
  readonly grantEpoch: bigint;
}

/** A record with the revisions that the store keeps for its key. */
export interface Held<T> {
  readonly value: T;
  readonly createRevision: StoreRevision;
  readonly modRevision: StoreRevision;
}
