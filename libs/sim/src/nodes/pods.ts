import {
  createStaticDriver,
  credentialHash,
  type StaticDriver,
  type StaticState,
  type StaticSupervisor,
} from '@sallyport/driver';
import type { PoolId, RuntimeId, SandboxName, WorkspaceId } from '@sallyport/model';

/** The workloads and supervisors that there really are, and the driver that knows them. */
export interface Pods {
  readonly driver: StaticDriver;
  /** False: the driver is away, and answers nobody. */
  up: boolean;
  began(supervisor: {
    readonly supervisorUid: string;
    readonly poolId: PoolId;
    readonly credential: string;
    readonly address: string;
    /** A newer container of the same Pod: whatever ran in it before is certainly dead. */
    readonly again: boolean;
  }): void;
  /** The Pod is gone. */
  ended(supervisorUid: string): void;
  /** What a driver that watches containers knows: that no two live in this Pod. */
  isExclusive(supervisorUid: string): boolean;
  /** The workload begins another life. */
  replace(workspace: WorkspaceId, sandbox: SandboxName): RuntimeId;
  runtimeOf(workspace: WorkspaceId, sandbox: SandboxName): RuntimeId | undefined;
}

export interface PodsOptions {
  /** Begins the boundary of this life of the workload; undefined: it has none. */
  readonly boundary: (workspace: WorkspaceId, sandbox: SandboxName, runtimeId: RuntimeId) => string | undefined;
}

export function createPods({ boundary }: PodsOptions): Pods {
  const again = new Set<string>();
  const supervisors = new Map<string, StaticSupervisor>();
  const workloads = new Map<string, StaticState['workloads'][number]>();
  const driver = createStaticDriver({ workloads: [], supervisors: [] });
  let lives = 0;

  const apply = (): void => driver.apply({ workloads: [...workloads.values()], supervisors: [...supervisors.values()] });

  return {
    driver,
    up: true,
    began({ supervisorUid, poolId, credential, address, again: isAgain }) {
      if (isAgain) again.add(supervisorUid);
      supervisors.set(supervisorUid, { supervisorUid, poolId, credentialHash: credentialHash(credential), address });
      apply();
    },
    ended(supervisorUid) {
      supervisors.delete(supervisorUid);
      again.delete(supervisorUid);
      apply();
    },
    isExclusive: (supervisorUid) => again.has(supervisorUid),
    replace(workspace, sandbox) {
      lives += 1;
      const runtimeId = `${sandbox}-life-${lives}` as RuntimeId;
      const boundaryAddress = boundary(workspace, sandbox, runtimeId);
      workloads.set(`${workspace}/${sandbox}`, {
        workspace,
        sandbox,
        runtimeId,
        ready: true,
        services: [],
        ...(boundaryAddress === undefined ? {} : { boundaryAddress }),
      });
      apply();
      return runtimeId;
    },
    runtimeOf: (workspace, sandbox) => workloads.get(`${workspace}/${sandbox}`)?.runtimeId,
  };
}
