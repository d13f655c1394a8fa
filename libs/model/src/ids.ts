/** Identities and epochs. Each is a type of its own, so that one cannot be passed where another is meant. */

declare const kind: unique symbol;
type Branded<T, Name extends string> = T & { readonly [kind]: Name };

/** Names that users choose: DNS labels without `--`. They make host names and are shown to people; guards never use them. */
export type WorkspaceId = Branded<string, 'WorkspaceId'>;
export type SandboxName = Branded<string, 'SandboxName'>;
/** The empty string is the sandbox's unnamed service. */
export type ServiceName = Branded<string, 'ServiceName'>;

/** Immutable id of one sandbox, made by the gateway at registration; a sandbox made again under its name has another. */
export type SandboxId = Branded<string, 'SandboxId'>;
/** One life of the workload: a Pod UID. Made by the driver. */
export type RuntimeId = Branded<string, 'RuntimeId'>;
/** One life of one supervisor process, made by itself at start. */
export type MemberId = Branded<string, 'MemberId'>;
/** Supervisors that may own each other's sandboxes; a dedicated supervisor is a pool for one sandbox. */
export type PoolId = Branded<string, 'PoolId'>;
/** One authenticated conversation of one member with one gateway about one sandbox. Made by the gateway. */
export type SessionId = Branded<string, 'SessionId'>;
/** One `Join` stream of one member. Made by the gateway; only this Join may remove the member. */
export type JoinId = Branded<string, 'JoinId'>;
/** One life of one gateway process. */
export type GatewayId = Branded<string, 'GatewayId'>;
/** 128-bit random, base64url. A challenge's, or a boundary's. */
export type Nonce = Branded<string, 'Nonce'>;
/** Random name of one life of the store; a restore from backup begins a new one. */
export type Generation = Branded<string, 'Generation'>;

/** Fencing number of a sandbox's ownership; only rises. */
export type OwnerEpoch = Branded<bigint, 'OwnerEpoch'>;
/** Bumping it revokes every session and token issued before. */
export type CredentialEpoch = Branded<bigint, 'CredentialEpoch'>;
/** Create-revision of a gateway's own member key: the fencing number of a gateway replica. */
export type GatewayEpoch = Branded<bigint, 'GatewayEpoch'>;
/** Rising number of one sandbox's configuration. */
export type ConfigRevision = Branded<bigint, 'ConfigRevision'>;
/** Revision of the store as a whole. */
export type StoreRevision = Branded<bigint, 'StoreRevision'>;

export const ID_LENGTH_MAX = 128;
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Ids that arrive from outside: bounded, printable, and safe as part of a store key (no slash). */
export const isId = (text: string): boolean => ID.test(text);
