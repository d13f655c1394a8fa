import type { Declaration, PoolId, RuntimeId, SandboxName, WorkspaceId } from '@sallyport/model';

/** What a workload itself declares: a service, its port, and how it is served. */
export type DeclaredService = Declaration;

/** One workload as it is now. */
export interface Workload {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  /** Its present life. Undefined: several claim to be it, and it is none of them. */
  readonly runtimeId: RuntimeId | undefined;
  readonly ready: boolean;
  readonly services: readonly DeclaredService[];
  /** Who shall serve it. Undefined: the gateway decides. */
  readonly mode?: 'dedicated' | 'shared' | undefined;
  /** The pool of a shared one. */
  readonly poolId?: PoolId | undefined;
  /** The pool that a supervisor of this sandbox alone proves itself for. Absent: the gateway makes one. */
  readonly dedicatedPoolId?: PoolId | undefined;
  /** For people: what of its declarations is not followed, and why. Empty or absent: all is. */
  readonly problem?: string;
  /** host:port of its boundary process. Absent: its application is reached directly. */
  readonly boundaryAddress?: string;
}

export type LivingWorkload = Workload & { readonly runtimeId: RuntimeId };

export type WorkloadChange =
  | { readonly kind: 'upserted'; readonly workload: Workload }
  | { readonly kind: 'removed'; readonly workload: Workload };
