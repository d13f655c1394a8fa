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
  }): void;
  ended(supervisorUid: string): void;
  /** The workload begins another life. */
  replace(workspace: WorkspaceId, sandbox: SandboxName): RuntimeId;
  runtimeOf(workspace: WorkspaceId, sandbox: SandboxName): RuntimeId | undefined;
}

export function createPods(): Pods {
  const supervisors = new Map<string, StaticSupervisor>();
  const workloads = new Map<string, StaticState['workloads'][number]>();
  const driver = createStaticDriver({ workloads: [], supervisors: [] });
  let lives = 0;

  const apply = (): void => driver.apply({ workloads: [...workloads.values()], supervisors: [...supervisors.values()] });

  return {
    driver,
    up: true,
    began({ supervisorUid, poolId, credential, address }) {
      supervisors.set(supervisorUid, { supervisorUid, poolId, credentialHash: credentialHash(credential), address });
      apply();
    },
    ended(supervisorUid) {
      supervisors.delete(supervisorUid);
      apply();
    },
    replace(workspace, sandbox) {
      lives += 1;
      const runtimeId = `${sandbox}-life-${lives}` as RuntimeId;
      workloads.set(`${workspace}/${sandbox}`, { workspace, sandbox, runtimeId, ready: true, services: [] });
      apply();
      return runtimeId;
    },
    runtimeOf: (workspace, sandbox) => workloads.get(`${workspace}/${sandbox}`)?.runtimeId,
  };
}
