import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { type Failure, type FailureKind, failure, fenced } from '@sallyport/model';

/** The one table from failures to gRPC statuses; the compiler counts its rows. */
export const STATUS_OF: Record<FailureKind, status> = {
  malformed: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  unknown: status.NOT_FOUND,
  fenced: status.FAILED_PRECONDITION,
  conflict: status.ABORTED,
  'cursor-lost': status.OUT_OF_RANGE,
  lagging: status.RESOURCE_EXHAUSTED,
  'over-limit': status.RESOURCE_EXHAUSTED,
  'not-ready': status.UNAVAILABLE,
  unsupported: status.UNIMPLEMENTED,
};

/** Trailing metadata of FAILED_PRECONDITION: what fenced the caller, the failure's `clause`. */
export const FENCED_BY_KEY = 'sallyport-fenced-by';
/** A status message travels in a header; longer ones are cut. Characters. */
export const STATUS_MESSAGE_LENGTH_MAX = 1_024;
/** What a header value may hold (RFC 9110 section 5.5, visible ASCII). */
const CLAUSE = /^[\x21-\x7e]{1,64}$/;

/** What grpc-js wants for a call that is refused; also what a stream's `error` event takes. */
export interface WireError extends StatusObject, Error {}

export function toWireError(refused: Failure): WireError {
  const metadata = new Metadata();
  if (refused.kind === 'fenced' && CLAUSE.test(refused.clause)) metadata.set(FENCED_BY_KEY, refused.clause);
  return wireError(STATUS_OF[refused.kind], refused.message, metadata);
}

/** For what nobody expected: the caller learns only that it happened, the cause is for our own log. */
export const internalError = (): WireError => wireError(status.INTERNAL, 'internal error', new Metadata());

function wireError(code: status, message: string, metadata: Metadata): WireError {
  // A lone surrogate makes grpc-js throw while it encodes the status.
  const details = message.slice(0, STATUS_MESSAGE_LENGTH_MAX).toWellFormed();
  return Object.assign(new Error(details), { code, details, metadata });
}

/** Kinds that share a status with another are told apart by nobody: RESOURCE_EXHAUSTED comes back as `over-limit`. */
const FAILURE_OF: Partial<Record<status, Exclude<FailureKind, 'fenced'>>> = {
  [status.INVALID_ARGUMENT]: 'malformed',
  [status.UNAUTHENTICATED]: 'unauthenticated',
  [status.PERMISSION_DENIED]: 'forbidden',
  [status.NOT_FOUND]: 'unknown',
  [status.ABORTED]: 'conflict',
  [status.OUT_OF_RANGE]: 'cursor-lost',
  [status.RESOURCE_EXHAUSTED]: 'over-limit',
  [status.UNIMPLEMENTED]: 'unsupported',
};

/**
 * A refusal as the caller sees it. Whatever is no refusal (unreachable, timed out, cancelled, a fault of the other side)
 * is `not-ready`: the caller knows nothing, and may ask again or elsewhere.
 */
export function fromServiceError(error: Pick<ServiceError, 'code' | 'details' | 'metadata'>): Failure {
  const message = error.details;
  if (error.code === status.FAILED_PRECONDITION) {
    const clause = error.metadata?.get(FENCED_BY_KEY)[0];
    return fenced(typeof clause === 'string' ? clause : 'unspecified', message);
  }
  const kind = FAILURE_OF[error.code];
  if (kind !== undefined) return failure(kind, message);
  if (error.code === status.UNAVAILABLE) return failure('not-ready', message);
  return failure('not-ready', `${status[error.code] ?? `status ${error.code}`}: ${message}`);
}
