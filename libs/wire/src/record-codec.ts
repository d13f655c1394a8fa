import type { Result } from '@sallyport/model';
import { type Check, checkedBytes, type Problem } from './check.ts';

/** A stored value: the record, and the operation that wrote it, by which a commit of unknown outcome is settled. */
export interface Written<T> {
  readonly record: T;
  readonly opId: string;
}

export interface RecordCodec<T> {
  readonly encode: (record: T, opId: string) => Uint8Array;
  /** The problem is for the log and for `explain`: whoever reads the store treats such a value as absent. */
  readonly decode: (bytes: Uint8Array) => Result<Written<T>, Problem>;
}

interface Message {
  readonly opId: string;
}

export function recordCodec<T, M extends Message>(
  message: { encode(value: M): { finish(): Uint8Array }; decode(bytes: Uint8Array): M },
  write: (record: T, opId: string) => M,
  read: (check: Check, message: M) => T,
): RecordCodec<T> {
  return {
    encode: (record, opId) => message.encode(write(record, opId)).finish(),
    decode: (bytes) =>
      checkedBytes(
        (encoded) => message.decode(encoded),
        bytes,
        (check, value) => ({
          record: read(check, value),
          opId: check.id('op_id', value.opId),
        }),
      ),
  };
}
