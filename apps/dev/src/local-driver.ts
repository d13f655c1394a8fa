import { createStaticDriver, credentialHash, type Driver, type StaticSupervisor } from '@sallyport/driver';
import { ok, type PoolId, type RuntimeId } from '@sallyport/model';

/** The driver of one machine: every sandbox that is asked for is this machine, and supervisors are known as they start. */
export interface LocalDriver extends Driver {
  know(supervisor: {
    readonly uid: string;
    readonly poolId: PoolId;
    readonly credential: string;
    readonly address: string;
  }): void;
}

export function createLocalDriver(runtimeId: RuntimeId): LocalDriver {
  const supervisors: StaticSupervisor[] = [];
  const known = createStaticDriver({ workloads: [], supervisors });
  return {
    ...known,
    getSandbox: (workspace, sandbox) => ok({ workspace, sandbox, runtimeId, ready: true, services: [] }),
    know({ uid, poolId, credential, address }) {
      supervisors.push({ supervisorUid: uid, poolId, credentialHash: credentialHash(credential), address });
      known.apply({ workloads: [], supervisors: [...supervisors] });
    },
  };
}
