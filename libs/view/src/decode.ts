import type { Held, RecordChange, RecordKey } from '@sallyport/authority';
import type { Result } from '@sallyport/model';
import { parseKey, type StoreEvent } from '@sallyport/store';
import {
  decodeConfiguration,
  decodeCredential,
  decodeGateway,
  decodeGeneration,
  decodeGrant,
  decodeInstallation,
  decodeMember,
  decodeName,
  decodeOwnership,
  decodeReader,
  decodeRenewals,
  decodeSandbox,
  decodeSession,
  decodeSuccessor,
  type Written,
} from '@sallyport/wire';

const DECODERS: Record<RecordKey['kind'], (bytes: Uint8Array) => Result<Written<unknown>, string>> = {
  generation: decodeGeneration,
  gateway: decodeGateway,
  member: decodeMember,
  sandbox: decodeSandbox,
  name: decodeName,
  config: decodeConfiguration,
  credential: decodeCredential,
  owner: decodeOwnership,
  session: decodeSession,
  successor: decodeSuccessor,
  installation: decodeInstallation,
  renewal: decodeRenewals,
  reader: decodeReader,
  grant: decodeGrant,
};

export interface Decoded {
  readonly change: RecordChange;
  /** Why the value could not be read. It counts as absent: nothing may rest on it, nor on the value before it. */
  readonly problem: string | undefined;
}

/** One event of the store as a change of a record. Undefined: not ours, or of a kind that this release does not know. */
export function decodeEvent(event: StoreEvent): Decoded | undefined {
  const key = parseKey(event.kind === 'put' ? event.entry.key : event.key);
  if (key === undefined) return undefined;
  if (event.kind === 'delete') return { change: change(key, undefined), problem: undefined };
  const { value, createRevision, modRevision } = event.entry;
  const written = DECODERS[key.kind](value);
  if (!written.ok) return { change: change(key, undefined), problem: `${event.entry.key}: ${written.error}` };
  return { change: change(key, { value: written.value.record, createRevision, modRevision }), problem: undefined };
}

/** Which operation wrote a value, to settle a commit of unknown outcome. */
export function operationIdOf(key: string, value: Uint8Array): string | undefined {
  const parsed = parseKey(key);
  const written = parsed === undefined ? undefined : DECODERS[parsed.kind](value);
  return written?.ok ? written.value.opId : undefined;
}

/** The decoder of a kind makes its value, so key and value are one row of RecordChange. */
const change = (key: RecordKey, held: Held<unknown> | undefined): RecordChange => ({ key, held }) as RecordChange;
