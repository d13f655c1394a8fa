import type { Report } from '@sallyport/authority';
import type {
  ConfigRevision,
  Failure,
  MemberId,
  Nonce,
  OwnerEpoch,
  Result,
  RuntimeId,
  SandboxId,
  SessionId,
} from '@sallyport/model';
import type { Capabilities, Hello, SupervisorMessage } from '@sallyport/session';
import { admitted, type Check } from './check.ts';
import type * as pb from './gen/sallyport/supervisor/v1/supervisor.ts';
import { readRoutes } from './installation-record.ts';

/** Of the reason that a supervisor gives for a refusal; characters. */
export const REASON_LENGTH_MAX = 1_024;
/** Of a boundary's signed answer; bytes. */
export const FENCE_ANSWER_LENGTH_MAX = 8_192;

export type SessionRequest = { readonly kind: 'hello'; readonly hello: Hello } | SupervisorMessage;

export function sessionRequestMessage(request: SessionRequest): pb.SessionRequest {
  switch (request.kind) {
    case 'hello':
      return { request: { $case: 'hello', value: { ...request.hello, capabilities: { ...request.hello.capabilities } } } };
    case 'applied': {
      const { revision, hash, ownerEpoch } = request;
      return { request: { $case: 'applied', value: { revision, hash, ownerEpoch } } };
    }
    case 'rejected': {
      const { revision, hash, ownerEpoch, reason } = request;
      return { request: { $case: 'rejected', value: { revision, hash, ownerEpoch, reason: reasonText(reason) } } };
    }
    case 'report':
      return { request: { $case: 'report', value: reportMessage(request) } };
    case 'heartbeat':
      return { request: { $case: 'heartbeat', value: { sequence: BigInt(request.sequence) } } };
    case 'released':
      return { request: { $case: 'released', value: { ownerEpoch: request.ownerEpoch } } };
    case 'fence-answer':
      return { request: { $case: 'fenceAnswer', value: { answer: Buffer.from(request.answer) } } };
  }
}

/** A reason may quote what somebody typed; our own words must pass our own door. */
const reasonText = (reason: string): string =>
  reason
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
    .toWellFormed();

const reportMessage = ({ nonce, sequence, report, boundaryNonce }: SupervisorMessage & { kind: 'report' }): pb.Report => ({
  nonce,
  sequence: BigInt(sequence),
  sessionId: report.sessionId,
  runtimeId: report.runtimeId,
  configRevision: report.configRevision,
  configHash: report.configHash,
  ownerEpoch: report.ownerEpoch,
  routes: report.routes.map((route) => ({ ...route })),
  ready: report.ready,
  boundaryNonce: boundaryNonce ?? '',
});

/** One message of a supervisor on a Session stream, read strictly. `malformed`: it is none; the session should end. */
export const parseSessionRequest = (message: pb.SessionRequest): Result<SessionRequest, Failure> =>
  admitted((check) => readRequest(check, check.required('request', message.request)));

function readRequest(check: Check, request: NonNullable<pb.SessionRequest['request']>): SessionRequest {
  switch (request.$case) {
    case 'hello':
      return { kind: 'hello', hello: readHello(check, request.value) };
    case 'applied':
      return { kind: 'applied', ...readAcknowledged(check, request.value) };
    case 'rejected':
      return {
        kind: 'rejected',
        ...readAcknowledged(check, request.value),
        reason: check.text('reason', request.value.reason, REASON_LENGTH_MAX),
      };
    case 'report':
      return {
        kind: 'report',
        nonce: check.nonce('nonce', request.value.nonce),
        sequence: check.sequence('sequence', request.value.sequence),
        report: readReport(check, request.value),
        boundaryNonce: nonceOrNone(check, request.value.boundaryNonce),
      };
    case 'heartbeat':
      return { kind: 'heartbeat', sequence: check.sequence('sequence', request.value.sequence) };
    case 'released':
      return { kind: 'released', ownerEpoch: check.epoch<OwnerEpoch>('owner_epoch', request.value.ownerEpoch) };
    case 'fenceAnswer': {
      const { answer } = request.value;
      if (answer.length === 0 || answer.length > FENCE_ANSWER_LENGTH_MAX)
        check.fail(`answer has ${answer.length} bytes, at most ${FENCE_ANSWER_LENGTH_MAX} are taken`);
      return { kind: 'fence-answer', answer };
    }
  }
}

const nonceOrNone = (check: Check, text: string): Nonce | undefined =>
  text === '' ? undefined : check.nonce('boundary_nonce', text);

const readHello = (check: Check, hello: pb.SessionHello): Hello => ({
  sandboxId: check.id<SandboxId>('sandbox_id', hello.sandboxId),
  runtimeId: check.id<RuntimeId>('runtime_id', hello.runtimeId),
  memberId: check.id<MemberId>('member_id', hello.memberId),
  credential: check.credential('credential', hello.credential),
  capabilities: readCapabilities(hello.capabilities),
});

const readCapabilities = (capabilities: pb.Capabilities | undefined): Capabilities => ({
  advertisements: capabilities?.advertisements ?? false,
  push: capabilities?.push ?? false,
});

const readAcknowledged = (
  check: Check,
  { revision, hash, ownerEpoch }: Pick<pb.Applied, 'revision' | 'hash' | 'ownerEpoch'>,
) => ({
  revision: check.epoch<ConfigRevision>('revision', revision),
  hash: check.hash('hash', hash),
  ownerEpoch: check.epochOrZero<OwnerEpoch>('owner_epoch', ownerEpoch),
});

/** A supervisor that has installed nothing reports revision 0 and no hash. */
const readReport = (check: Check, report: pb.Report): Report => ({
  sessionId: check.id<SessionId>('session_id', report.sessionId),
  runtimeId: check.id<RuntimeId>('runtime_id', report.runtimeId),
  configRevision: check.epochOrZero<ConfigRevision>('config_revision', report.configRevision),
  configHash: check.hashOrNone('config_hash', report.configHash),
  ownerEpoch: check.epochOrZero<OwnerEpoch>('owner_epoch', report.ownerEpoch),
  routes: readRoutes(check, 'routes', report.routes),
  ready: report.ready,
});
