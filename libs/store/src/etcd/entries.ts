import type { StoreRevision } from '@sallyport/model';
import type { IEvent, IKeyValue } from 'etcd3';
import type { StoreEntry, StoreEvent } from '../port.ts';

/** int64 comes as decimal text. */
export const revisionOf = (text: string): StoreRevision => BigInt(text) as StoreRevision;

export const keyBytes = (key: string): Buffer => Buffer.from(key, 'latin1');

export const entryOf = ({ key, value, create_revision, mod_revision }: IKeyValue): StoreEntry => ({
  key: key.toString('latin1'),
  value,
  createRevision: revisionOf(create_revision),
  modRevision: revisionOf(mod_revision),
});

export const eventOf = ({ type, kv }: IEvent): StoreEvent =>
  type === 'Delete'
    ? { kind: 'delete', key: kv.key.toString('latin1'), modRevision: revisionOf(kv.mod_revision) }
    : { kind: 'put', entry: entryOf(kv) };

/**
 * etcd's `[key, range_end)` for all that starts with `prefix`. Keys are printable ASCII, so the last character always has a
 * successor; the empty prefix is everything, which etcd writes as two zero bytes.
 */
export function rangeOf(prefix: string): { readonly key: Buffer; readonly range_end: Buffer } {
  if (prefix === '') return { key: Buffer.of(0), range_end: Buffer.of(0) };
  const end = keyBytes(prefix);
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return { key: keyBytes(prefix), range_end: end };
}
