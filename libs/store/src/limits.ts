import { COMMIT_OPERATIONS_MAX, type Transaction } from './port.ts';

/** Ours, well under etcd's limit of a request; a renewal vector of 1,000 sandboxes has under 100 KiB. */
export const VALUE_BYTES_MAX = 1024 * 1024;
/** Keys are our own ids; the longest holds two of 128 characters, or an encoded principal. */
export const KEY_LENGTH_MAX = 1024;
/** etcd's default `--max-request-bytes` is 1.5 MiB with everything; this leaves room for the guards and the framing. */
export const TRANSACTION_BYTES_MAX = 1_400_000;

/**
 * Throws a RangeError for a transaction that no store would take, before anything is sent. Such a transaction is a
 * mistake in our code, not an outcome; both adapters call this, so that the mistake shows in tests on memory too.
 */
export function checkTransaction({ guards, changes }: Transaction): void {
  if (guards.length > COMMIT_OPERATIONS_MAX) throw new RangeError(`${guards.length} guards: at most ${COMMIT_OPERATIONS_MAX}`);
  if (changes.length > COMMIT_OPERATIONS_MAX) throw new RangeError(`${changes.length} changes: at most ${COMMIT_OPERATIONS_MAX}`);
  for (const { key } of guards) checkKey(key);
  const changed = new Set<string>();
  let bytes = 0;
  for (const change of changes) {
    checkKey(change.key);
    if (changed.has(change.key)) throw new RangeError(`${change.key} is changed twice in one transaction`);
    changed.add(change.key);
    bytes += change.key.length;
    if (change.kind === 'delete') continue;
    if (change.value.length > VALUE_BYTES_MAX) {
      throw new RangeError(`the value of ${change.key} has ${change.value.length} bytes: at most ${VALUE_BYTES_MAX}`);
    }
    bytes += change.value.length;
  }
  if (bytes > TRANSACTION_BYTES_MAX) throw new RangeError(`a transaction of ${bytes} bytes: at most ${TRANSACTION_BYTES_MAX}`);
}

/** Keys are printable ASCII, so that their order is the same in UTF-16 here and in bytes in etcd. */
export function checkKey(key: string): void {
  if (key.length > KEY_LENGTH_MAX) throw new RangeError(`a key of ${key.length} characters: at most ${KEY_LENGTH_MAX}`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new RangeError(`${JSON.stringify(key)} is not a key: printable ASCII without spaces`);
}
