import { isIP } from 'node:net';
import type { Driver } from '@sallyport/gateway/replica';
import { err, type Failure, failure, later, ok, type Result, type SandboxName, type WorkspaceId } from '@sallyport/model';
import { twice } from '../net/twice.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { Surroundings } from './surroundings.ts';

const DEADLINE_MS = 3_000;
const DRIVER = 'driver';

/** The driver as a gateway calls it: its own static driver, over the network. */
export function driverLink(process: SimProcess, place: string, surroundings: Surroundings): Driver {
  const { schedule, network, pods } = surroundings;

  function ask<T>(does: string, act: () => Promise<Result<T, Failure>> | Result<T, Failure>): Promise<Result<T, Failure>> {
    return new Promise((resolve) => {
      const cancel = process.clock.at(later(process.clock.now(), DEADLINE_MS), () =>
        resolve(err(failure('not-ready', `no answer within ${DEADLINE_MS} ms`))),
      );
      twice(surroundings, place, DRIVER, does, () => {
        if (!pods.up) return;
        void Promise.resolve(act()).then((answer) => {
          schedule.after(network.latencyMs(DRIVER, place), { who: process.name, does: `${does} answered` }, () => {
            if (network.isBlocked(DRIVER, place)) return;
            process.deliver(`${does} answered`, () => {
              cancel();
              resolve(answer);
            });
          });
        });
      });
    });
  }

  return {
    authenticate: (credential) =>
      ask('authenticate', async () => {
        const known = await pods.driver.authenticateSupervisor(credential);
        if (!known.ok) return known;
        const { poolId, supervisorUid } = known.value;
        return ok({ poolId, supervisorUid, exclusive: pods.isExclusive(supervisorUid), sandboxId: undefined });
      }),
    runtimeId: (workspace, sandbox) =>
      ask('workload', () => {
        const known = pods.driver.getSandbox(workspace as WorkspaceId, sandbox as SandboxName);
        if (!known.ok) return known;
        const { runtimeId } = known.value;
        return runtimeId === undefined ? err(failure('not-ready', 'the workload has no life yet')) : ok(runtimeId);
      }),
    boundary: (workspace, sandbox, runtimeId) =>
      ask('boundary', () => {
        const known = pods.driver.getSandbox(workspace as WorkspaceId, sandbox as SandboxName);
        if (!known.ok) return known.error.kind === 'unknown' ? ok(undefined) : known;
        return ok(known.value.runtimeId === runtimeId ? known.value.boundaryAddress : undefined);
      }),
    endpoint: (member) =>
      ask('endpoint', async () => {
        const known = await pods.driver.resolveSupervisorAppEndpoint(member);
        if (known.ok && isIP(known.value.address) === 0) throw new Error(`${known.value.address} is no address`);
        return known;
      }),
  };
}
