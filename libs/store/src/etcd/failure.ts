import { castGrpcError, EtcdLeaseInvalidError, GRPCInvalidArgumentError, GRPCOutOfRangeError } from 'etcd3';

/**
 * Why a call brought no answer of use.
 * - `no-answer`: anything at all that leaves open what happened: timeout, unavailable, cancelled, internal …
 * - the others are etcd's own definite words: it did nothing.
 */
export type CallFailureKind = 'no-answer' | 'no-lease' | 'compacted' | 'future' | 'invalid';

export class CallFailure extends Error {
  readonly kind: CallFailureKind;

  constructor(kind: CallFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Of what etcd3 or grpc threw. Only what is known for certain gets a name of its own. */
export function failureOf(thrown: unknown): CallFailure {
  if (thrown instanceof CallFailure) return thrown;
  const error = castGrpcError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  return new CallFailure(kindOf(error), error.message);
}

function kindOf(error: Error): CallFailureKind {
  if (error instanceof EtcdLeaseInvalidError) return 'no-lease';
  if (error instanceof GRPCOutOfRangeError && error.message.includes('compacted')) return 'compacted';
  if (error instanceof GRPCOutOfRangeError && error.message.includes('future')) return 'future';
  if (error instanceof GRPCInvalidArgumentError) return 'invalid';
  return 'no-answer';
}
