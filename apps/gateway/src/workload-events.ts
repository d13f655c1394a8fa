import type { Mode } from '@sallyport/authority';
import {
  type Declaration,
  err,
  type Failure,
  failure,
  ok,
  type PoolId,
  type Result,
  type RuntimeId,
  SERVICES_PER_SANDBOX_MAX,
} from '@sallyport/model';
import {
  type Check,
  checked,
  driverV1,
  type Link,
  openServerStream,
  readPolicy,
  type Stream,
  supervisorV1,
} from '@sallyport/wire';
import type { SandboxRef } from './declarations.ts';

/** One workload as the driver tells it. */
export interface FollowedWorkload extends SandboxRef {
  /** Undefined: several claim the name, and none of them has it. */
  readonly runtimeId: RuntimeId | undefined;
  readonly mode: Mode | undefined;
  readonly poolId: PoolId | undefined;
  readonly dedicatedPoolId: PoolId | undefined;
  readonly services: readonly Declaration[];
  /** For the log: what of it the driver does not follow. */
  readonly problem: string;
}

export type FollowedEvent =
  | { readonly kind: 'upserted'; readonly workload: FollowedWorkload }
  | { readonly kind: 'removed'; readonly ref: SandboxRef }
  | { readonly kind: 'synced' };

export type WorkloadStream = Stream<never, driverV1.WatchSandboxesResponse>;

export const watchDriver = (link: Link): WorkloadStream =>
  openServerStream(link, driverV1.ComputeDriverServiceService.watchSandboxes, {});

const PROBLEM_LENGTH_MAX = 4_096;

/** The workload's own words have come this far: each is read strictly, and one that cannot be read stops no other. */
export function readWorkloadEvent({ event }: driverV1.WatchSandboxesResponse): Result<FollowedEvent, Failure> {
  const read = checked<FollowedEvent>((check) => {
    switch (event?.$case) {
      case 'upserted':
        return { kind: 'upserted', workload: readWorkload(check, event.value) };
      case 'removed':
        return { kind: 'removed', ref: readRef(check, event.value) };
      case 'synced':
        return { kind: 'synced' };
      case undefined:
        return check.fail('event is missing');
    }
  });
  return read.ok ? ok(read.value) : err(failure('malformed', `from the driver: ${read.error}`));
}

const readRef = (check: Check, { workspace, sandbox }: { workspace: string; sandbox: string }): SandboxRef => ({
  workspace: check.workspace('workload.workspace', workspace),
  sandbox: check.sandbox('workload.sandbox', sandbox),
});

function readWorkload(check: Check, message: driverV1.Workload): FollowedWorkload {
  const services = check.list('workload.services', message.services, SERVICES_PER_SANDBOX_MAX, (service) => ({
    service: check.service('workload.services.service', service.service),
    port: check.port('workload.services.port', service.port),
    policy: readPolicy(check, 'workload.services.policy', service.policy),
  }));
  if (new Set(services.map(({ service }) => service)).size < services.length) check.fail('workload.services names one twice');
  return {
    ...readRef(check, message),
    runtimeId: check.idOrNone<RuntimeId>('workload.runtime_id', message.runtimeId),
    mode: readMode(check, message.mode),
    poolId: check.idOrNone<PoolId>('workload.pool_id', message.poolId),
    dedicatedPoolId: check.idOrNone<PoolId>('workload.dedicated_pool_id', message.dedicatedPoolId),
    services,
    problem: check.text('workload.problem', message.problem, PROBLEM_LENGTH_MAX),
  };
}

function readMode(check: Check, mode: supervisorV1.Mode): Mode | undefined {
  switch (mode) {
    case supervisorV1.Mode.MODE_DEDICATED:
      return 'dedicated';
    case supervisorV1.Mode.MODE_SHARED:
      return 'shared';
    case supervisorV1.Mode.MODE_UNSPECIFIED:
      return undefined;
    default:
      return check.fail('workload.mode is not known');
  }
}
