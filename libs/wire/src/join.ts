import type { Mode } from '@sallyport/authority';
import type {
  Failure,
  GatewayId,
  JoinId,
  MemberId,
  PoolId,
  Result,
  RuntimeId,
  SandboxId,
  SandboxName,
  WorkspaceId,
} from '@sallyport/model';
import { PING_AGAIN_MAX_MS } from '@sallyport/session';
import { admitted, type Check } from './check.ts';
import type * as pb from './gen/sallyport/supervisor/v1/supervisor.ts';
import { boundaryIn, CAPACITY_MAX, modeNumber, readMode } from './records.ts';

/** Sandboxes that one member can be assigned. */
export const ASSIGNMENTS_MAX = 20_000;

export interface MemberState {
  readonly ready: boolean;
  readonly draining: boolean;
  /** 0: the application listener is off. */
  readonly appPort: number;
  /** Sandboxes that it can own at once, at least 1. */
  readonly capacity: number;
}

export type JoinRequest =
  | {
      readonly kind: 'hello';
      readonly memberId: MemberId;
      readonly poolId: PoolId;
      /** Secret. */
      readonly credential: string;
      readonly state: MemberState;
    }
  | { readonly kind: 'state'; readonly state: MemberState }
  | { readonly kind: 'ping' };

export interface Assignment {
  readonly sandboxId: SandboxId;
  readonly runtimeId: RuntimeId;
  readonly mode: Mode;
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  /** host:port of the sandbox's boundary; absent: its application is on this supervisor's own loopback. */
  readonly boundaryAddress?: string | undefined;
}

export type JoinResponse =
  | { readonly kind: 'accepted'; readonly joinId: JoinId; readonly gatewayId: GatewayId }
  /** The whole list, each time. */
  | { readonly kind: 'assignments'; readonly assignments: readonly Assignment[] }
  /** After how long it likes to be asked again. */
  | { readonly kind: 'pong'; readonly againMs: number };

export function joinRequestMessage(request: JoinRequest): pb.JoinRequest {
  if (request.kind === 'ping') return { request: { $case: 'ping', value: {} } };
  if (request.kind === 'state') return { request: { $case: 'state', value: { ...request.state } } };
  const { memberId, poolId, credential, state } = request;
  return { request: { $case: 'hello', value: { memberId, poolId, credential, state: { ...state } } } };
}

export const parseJoinRequest = (message: pb.JoinRequest): Result<JoinRequest, Failure> =>
  admitted((check) => {
    const request = check.required('request', message.request);
    if (request.$case === 'ping') return { kind: 'ping' };
    if (request.$case === 'state') return { kind: 'state', state: readState(check, request.value) };
    const hello = request.value;
    return {
      kind: 'hello',
      memberId: check.id<MemberId>('member_id', hello.memberId),
      poolId: check.id<PoolId>('pool_id', hello.poolId),
      credential: check.credential('credential', hello.credential),
      state: readState(check, check.required('state', hello.state)),
    };
  });

const readState = (check: Check, state: pb.MemberState): MemberState => ({
  ready: state.ready,
  draining: state.draining,
  appPort: check.portOrZero('app_port', state.appPort),
  // 0 is what a dedicated supervisor leaves out.
  capacity: Math.max(1, check.atMost('capacity', state.capacity, CAPACITY_MAX)),
});

export function joinResponseMessage(response: JoinResponse): pb.JoinResponse {
  if (response.kind === 'pong') return { response: { $case: 'pong', value: { againMs: response.againMs } } };
  if (response.kind === 'accepted') {
    return { response: { $case: 'accepted', value: { joinId: response.joinId, gatewayId: response.gatewayId } } };
  }
  const assignments = response.assignments.map((assignment) => ({
    ...assignment,
    mode: modeNumber(assignment.mode),
    boundaryAddress: assignment.boundaryAddress ?? '',
  }));
  return { response: { $case: 'assignments', value: { assignments } } };
}

export const parseJoinResponse = (message: pb.JoinResponse): Result<JoinResponse, Failure> =>
  admitted((check) => {
    const response = check.required('response', message.response);
    if (response.$case === 'pong')
      return { kind: 'pong', againMs: check.atMost('again_ms', response.value.againMs, PING_AGAIN_MAX_MS) };
    if (response.$case === 'accepted') {
      return {
        kind: 'accepted',
        joinId: check.id<JoinId>('join_id', response.value.joinId),
        gatewayId: check.id<GatewayId>('gateway_id', response.value.gatewayId),
      };
    }
    const assignments = check.list('assignments', response.value.assignments, ASSIGNMENTS_MAX, (assignment) =>
      readAssignment(check, assignment),
    );
    if (new Set(assignments.map(({ sandboxId }) => sandboxId)).size < assignments.length)
      check.fail('assignments names a sandbox twice');
    return { kind: 'assignments', assignments };
  });

const readAssignment = (check: Check, assignment: pb.Assignment): Assignment => ({
  sandboxId: check.id<SandboxId>('assignments.sandbox_id', assignment.sandboxId),
  runtimeId: check.id<RuntimeId>('assignments.runtime_id', assignment.runtimeId),
  mode: readMode(check, 'assignments.mode', assignment.mode),
  workspace: check.workspace('assignments.workspace', assignment.workspace),
  sandbox: check.sandbox('assignments.sandbox', assignment.sandbox),
  ...boundaryIn(check, assignment.boundaryAddress),
});
