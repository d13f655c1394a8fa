import { isIP } from 'node:net';
import type { Endpoint } from '@sallyport/authority';
import { err, type Failure, failure, isPort, type MemberId, ok, type PoolId, type Result } from '@sallyport/model';
import { call, driverV1, type Link } from '@sallyport/wire';
import type { SupervisorProof } from './credentials.ts';

/** What a gateway asks of the driver. */
export interface Driver {
  authenticate(credential: string): Promise<Result<SupervisorProof, Failure>>;
  /** The workload's present life. */
  runtimeId(workspace: string, sandbox: string): Promise<Result<string, Failure>>;
  /** host:port of the boundary of that life of the workload; undefined: it has none. Absent: this driver knows of none. */
  boundary?(workspace: string, sandbox: string, runtimeId: string): Promise<Result<string | undefined, Failure>>;
  /** Where a member's application listener can be reached. `unsupported`: this driver cannot tell, ever. */
  endpoint(member: {
    readonly poolId: PoolId;
    readonly memberId: MemberId;
    readonly supervisorUid: string;
    readonly appPort: number;
  }): Promise<Result<Endpoint, Failure>>;
}

const DEADLINE_MS = 3_000;

export function createDriver(link: Link): Driver {
  const { computeDriver, endpoints } = {
    computeDriver: driverV1.ComputeDriverServiceService,
    endpoints: driverV1.ComputeDriverAppEndpointsServiceService,
  };
  const options = { deadlineMs: DEADLINE_MS };
  return {
    async authenticate(credential) {
      const answer = await call(link, computeDriver.authenticateSupervisor, { credential }, options);
      if (!answer.ok) return answer;
      const { supervisorUid, poolId, exclusive } = answer.value;
      if (poolId === '') return err(failure('unauthenticated', 'the driver knows the supervisor, but no pool of it'));
      return ok({ poolId: poolId as PoolId, supervisorUid, exclusive, sandboxId: undefined });
    },
    async runtimeId(workspace, sandbox) {
      const answer = await call(link, computeDriver.getSandbox, { workspace, sandbox }, options);
      if (!answer.ok) return answer;
      const runtimeId = answer.value.workload?.runtimeId ?? '';
      return runtimeId === '' ? err(failure('not-ready', 'the driver does not say which life the workload has')) : ok(runtimeId);
    },
    async boundary(workspace, sandbox, runtimeId) {
      const answer = await call(link, computeDriver.getSandbox, { workspace, sandbox }, options);
      // A workload that the driver does not know has no boundary that it knows.
      if (!answer.ok) return answer.error.kind === 'unknown' ? ok(undefined) : answer;
      const { workload } = answer.value;
      const named = workload !== undefined && workload.runtimeId === runtimeId && workload.boundaryAddress !== '';
      return ok(named ? workload.boundaryAddress : undefined);
    },
    async endpoint(member) {
      const answer = await call(link, endpoints.resolveSupervisorAppEndpoint, member, options);
      if (!answer.ok) return answer;
      const { endpoint } = answer.value;
      // The answer ends up in front of every ingress: one that makes no sense is none. The port is the one that the member
      // proved to listen on, and the Pod the one that it proved to be: any other may be somebody else's.
      if (endpoint === undefined || isIP(endpoint.address) === 0 || !isPort(endpoint.port))
        return err(failure('malformed', 'the driver answered no usable endpoint'));
      if (endpoint.port !== member.appPort || endpoint.podUid !== member.supervisorUid)
        return err(failure('malformed', 'the driver answered the endpoint of something else'));
      return ok({ address: endpoint.address, port: endpoint.port, podUid: endpoint.podUid });
    },
  };
}
