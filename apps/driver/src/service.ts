import { err, type Failure, failure, type MemberId, ok, type PoolId, type Result } from '@sallyport/model';
import { VERSION } from '@sallyport/process';
import { admitted, type Binding, bind, driverV1, policyMessage, supervisorV1 } from '@sallyport/wire';
import type { Driver, Workload, WorkloadEvent } from './driver.ts';

/** The driver's two services over any driver. Open watches are ended when `stopping` is aborted. */
export function driverServices(driver: Driver, stopping: AbortSignal): readonly Binding[] {
  return [
    bind(driverV1.ComputeDriverServiceService, {
      getCapabilities: async () => ok({ ...driver.getCapabilities(), version: VERSION }),
      async getSandbox(request) {
        const named = admitted((check) => ({
          workspace: check.workspace('workspace', request.workspace),
          sandbox: check.sandbox('sandbox', request.sandbox),
        }));
        if (!named.ok) return named;
        const found = driver.getSandbox(named.value.workspace, named.value.sandbox);
        return found.ok ? ok({ workload: workloadMessage(found.value) }) : found;
      },
      async listSandboxes() {
        const listed = driver.listSandboxes();
        return listed.ok ? ok({ workloads: listed.value.map(workloadMessage) }) : listed;
      },
      watchSandboxes: (_request, stream) =>
        new Promise<Result<void, Failure>>((resolve) => {
          let stop = (): void => undefined;
          const end = (result: Result<void, Failure>): void => {
            stop();
            stopping.removeEventListener('abort', leave);
            resolve(result);
          };
          const leave = (): void => end(err(failure('not-ready', 'the driver is stopping')));
          stream.signal.addEventListener('abort', () => end(ok(undefined)), { once: true });
          stopping.addEventListener('abort', leave, { once: true });
          if (stream.signal.aborted) return end(ok(undefined));
          if (stopping.aborted) return leave();
          stop = driver.watchSandboxes((event) => {
            if (event.kind === 'lost') end(err(failure('not-ready', event.why)));
            else stream.send({ event: eventMessage(event) });
          });
        }),
      async authenticateSupervisor(request) {
        const credential = admitted((check) => check.credential('credential', request.credential));
        return credential.ok ? driver.authenticateSupervisor(credential.value) : credential;
      },
      async checkSelf() {
        const findings = (await driver.checkSelf?.()) ?? [];
        return ok({ findings: findings.map((finding) => ({ ...finding })) });
      },
    }),
    bind(driverV1.ComputeDriverAppEndpointsServiceService, {
      async resolveSupervisorAppEndpoint(request) {
        if (!driver.getCapabilities().appEndpoints) return err(failure('unsupported', 'this driver knows no endpoints'));
        const asked = admitted((check) => ({
          poolId: check.id<PoolId>('pool_id', request.poolId),
          memberId: check.id<MemberId>('member_id', request.memberId),
          supervisorUid: check.id('supervisor_uid', request.supervisorUid),
          appPort: check.portOrZero('app_port', request.appPort),
        }));
        if (!asked.ok) return asked;
        const endpoint = await driver.resolveSupervisorAppEndpoint(asked.value);
        return endpoint.ok ? ok({ endpoint: endpoint.value }) : endpoint;
      },
    }),
  ];
}

const MODES = {
  dedicated: supervisorV1.Mode.MODE_DEDICATED,
  shared: supervisorV1.Mode.MODE_SHARED,
} as const;

const workloadMessage = (workload: Workload): driverV1.Workload => ({
  workspace: workload.workspace,
  sandbox: workload.sandbox,
  runtimeId: workload.runtimeId ?? '',
  ready: workload.ready,
  services: workload.services.map(({ service, port, policy }) => ({ service, port, policy: policyMessage(policy) })),
  mode: workload.mode === undefined ? supervisorV1.Mode.MODE_UNSPECIFIED : MODES[workload.mode],
  poolId: workload.poolId ?? '',
  dedicatedPoolId: workload.dedicatedPoolId ?? '',
  problem: workload.problem ?? '',
  boundaryAddress: workload.boundaryAddress ?? '',
});

function eventMessage(event: Exclude<WorkloadEvent, { kind: 'lost' }>): driverV1.WatchSandboxesResponse['event'] {
  switch (event.kind) {
    case 'upserted':
      return { $case: 'upserted', value: workloadMessage(event.workload) };
    case 'removed': {
      const { workspace, sandbox, runtimeId = '' } = event.workload;
      return { $case: 'removed', value: { workspace, sandbox, runtimeId } };
    }
    case 'synced':
      return { $case: 'synced', value: {} };
  }
}
