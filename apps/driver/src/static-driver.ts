import { err, failure, fenced, ok, type PoolId } from '@sallyport/model';
import { sha256hex } from '@sallyport/process';
import type { Driver, LivingWorkload, WorkloadEvent } from './driver.ts';

/** A supervisor that is known beforehand. */
export interface StaticSupervisor {
  readonly supervisorUid: string;
  readonly poolId: PoolId;
  /** SHA-256 of its credential in hexadecimal: the driver compares, it does not keep secrets. */
  readonly credentialHash: string;
  /** IP address under which its application listener can be reached. */
  readonly address: string;
}

/** Everything that a static driver knows: a whole value, replaced as one. */
export interface StaticState {
  readonly workloads: readonly LivingWorkload[];
  readonly supervisors: readonly StaticSupervisor[];
}

export interface StaticDriver extends Driver {
  /** Replaces all that is known; watchers hear what differs. */
  apply(state: StaticState): void;
}

export const credentialHash = (credential: string): string => sha256hex(credential);

/** Workloads and supervisors by configuration, for one machine: nothing is observed, so nothing is ever certainly dead. */
export function createStaticDriver(initial: StaticState): StaticDriver {
  let workloads = byName(initial.workloads);
  let supervisors = initial.supervisors;
  const watchers = new Set<(event: WorkloadEvent) => void>();

  return {
    getCapabilities: () => ({ driver: 'static', appEndpoints: true }),
    getSandbox(workspace, sandbox) {
      const workload = workloads.get(`${workspace}/${sandbox}`);
      return workload === undefined
        ? err(
            failure(
              'unknown',
              `no workload ${workspace}/${sandbox} is configured; register it with a runtime id of yours, or configure it`,
            ),
          )
        : ok(workload);
    },
    listSandboxes: () => ok([...workloads.values()]),
    watchSandboxes(watcher) {
      for (const workload of workloads.values()) watcher({ kind: 'upserted', workload });
      watcher({ kind: 'synced' });
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    async authenticateSupervisor(credential) {
      // Hashes of equal length: how long the comparison takes tells nothing about the credential.
      const hash = credentialHash(credential);
      const known = supervisors.find((supervisor) => supervisor.credentialHash === hash);
      if (known === undefined) return err(failure('unauthenticated', 'the credential proves no supervisor that is configured'));
      return ok({ supervisorUid: known.supervisorUid, poolId: known.poolId, exclusive: false });
    },
    async resolveSupervisorAppEndpoint({ poolId, supervisorUid, appPort }) {
      const known = supervisors.find((supervisor) => supervisor.supervisorUid === supervisorUid);
      if (known === undefined) return err(fenced('endpoint', `no supervisor ${supervisorUid} is configured`));
      if (known.poolId !== poolId) return err(fenced('endpoint', `supervisor ${supervisorUid} is of another pool`));
      if (appPort === 0) return err(fenced('endpoint', `the application listener of ${supervisorUid} is off`));
      return ok({ address: known.address, port: appPort, podUid: supervisorUid });
    },
    apply(state) {
      const before = workloads;
      workloads = byName(state.workloads);
      supervisors = state.supervisors;
      for (const event of differences(before, workloads)) for (const watcher of [...watchers]) watcher(event);
    },
  };
}

const byName = (workloads: readonly LivingWorkload[]): ReadonlyMap<string, LivingWorkload> =>
  new Map(workloads.map((workload) => [`${workload.workspace}/${workload.sandbox}`, workload]));

function* differences(
  before: ReadonlyMap<string, LivingWorkload>,
  after: ReadonlyMap<string, LivingWorkload>,
): Generator<WorkloadEvent> {
  for (const [name, workload] of before) if (!after.has(name)) yield { kind: 'removed', workload };
  for (const [name, workload] of after) {
    const old = before.get(name);
    if (old === undefined || JSON.stringify(old) !== JSON.stringify(workload)) yield { kind: 'upserted', workload };
  }
}
