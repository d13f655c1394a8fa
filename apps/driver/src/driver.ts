import type { Endpoint } from '@sallyport/authority';
import type { Failure, MemberId, PoolId, Result, RuntimeId, SandboxName, ServiceName, WorkspaceId } from '@sallyport/model';

/** What a driver does, whatever it observes: the static list, or Kubernetes. */
export interface Driver {
  getCapabilities(): Capabilities;
  /** `unknown`: no such workload. Never waits for, nor fails by, an endpoint. */
  getSandbox(workspace: WorkspaceId, sandbox: SandboxName): Result<Workload, Failure>;
  listSandboxes(): Result<readonly Workload[], Failure>;
  /** First every workload, then `synced`, then each change; the first ones within this call. Returns what ends it. */
  watchSandboxes(watcher: (event: WorkloadEvent) => void): () => void;
  /** `unauthenticated`: the credential proves no supervisor. */
  authenticateSupervisor(credential: string): Promise<Result<Supervisor, Failure>>;
  /** From what the driver itself observes. `fenced`: no endpoint now; `not-ready`: its own view is stale. */
  resolveSupervisorAppEndpoint(asked: EndpointQuestion): Promise<Result<Endpoint, Failure>>;
}

export interface Capabilities {
  /** For people. */
  readonly driver: 'static' | 'kubernetes';
  readonly appEndpoints: boolean;
}

/** One workload in its present life. */
export interface Workload {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly runtimeId: RuntimeId;
  readonly ready: boolean;
  /** What the workload itself declares. */
  readonly services: readonly { readonly service: ServiceName; readonly port: number }[];
}

export type WorkloadEvent =
  | { readonly kind: 'upserted'; readonly workload: Workload }
  | { readonly kind: 'removed'; readonly workload: Workload }
  | { readonly kind: 'synced' };

export interface Supervisor {
  /** One life of it. */
  readonly supervisorUid: string;
  readonly poolId: PoolId;
  /** Every earlier supervisor with this uid is certainly dead. */
  readonly exclusive: boolean;
}

export interface EndpointQuestion {
  readonly poolId: PoolId;
  readonly memberId: MemberId;
  readonly supervisorUid: string;
  /** 0: the member's listener is off. */
  readonly appPort: number;
}
