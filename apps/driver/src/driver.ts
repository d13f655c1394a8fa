import type { Endpoint } from '@sallyport/authority';
import type { LivingWorkload, Workload, WorkloadChange } from '@sallyport/kube';
import type { Failure, MemberId, PoolId, Result, SandboxName, WorkspaceId } from '@sallyport/model';

export type { DeclaredService, LivingWorkload, Workload } from '@sallyport/kube';

/** What a driver does, whatever it observes: the static list, or Kubernetes. */
export interface Driver {
  getCapabilities(): Capabilities;
  /** `unknown`: no such workload. `fenced`: several claim to be it. Never waits for, nor fails by, an endpoint. */
  getSandbox(workspace: WorkspaceId, sandbox: SandboxName): Result<LivingWorkload, Failure>;
  listSandboxes(): Result<readonly Workload[], Failure>;
  /**
   * First every workload, then `synced`, then each change; the first ones as soon as the driver knows them, within this call if
   * it does already. `lost` ends it: the driver's own view is stale. Returns what ends it.
   */
  watchSandboxes(watcher: (event: WorkloadEvent) => void): () => void;
  /** `unauthenticated`: the credential proves no supervisor. */
  authenticateSupervisor(credential: string): Promise<Result<Supervisor, Failure>>;
  /** From what the driver itself observes. `fenced`: no endpoint now; `not-ready`: its own view is stale. */
  resolveSupervisorAppEndpoint(asked: EndpointQuestion): Promise<Result<Endpoint, Failure>>;
  /** What it finds when it looks at what it needs itself. Absent: it needs nothing. */
  checkSelf?(): Promise<readonly Finding[]>;
}

/** One thing that was looked at, for people. `nextStep` is empty if it is well. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly nextStep: string;
}

export interface Capabilities {
  /** For people. */
  readonly driver: 'static' | 'kubernetes';
  readonly appEndpoints: boolean;
}

export type WorkloadEvent = WorkloadChange | { readonly kind: 'synced' } | { readonly kind: 'lost'; readonly why: string };

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
