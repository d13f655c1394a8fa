import type { ICompare, IRequestOp, ITxnRequest, ITxnResponse } from 'etcd3';
import type { Change, Guard, Transaction } from '../port.ts';
import { keyBytes } from './entries.ts';

/** `revision` of an absent key is 0 to etcd; no guard names it, and -1 equals nothing. */
const NOTHING = '-1';

/**
 * One etcd transaction: the guards compared, the changes where all hold, and else a look at each guarded key in the same
 * step, to tell which did not.
 */
export function requestOf({ guards, changes }: Transaction): ITxnRequest {
  return {
    compare: guards.map(compareOf),
    success: changes.length > 0 ? changes.map(operationOf) : touchNothing(guards),
    failure: keysOf(guards).map((key) => ({ request_range: { key: keyBytes(key), keys_only: true } })),
  };
}

function compareOf(guard: Guard): ICompare {
  const key = keyBytes(guard.key);
  switch (guard.is) {
    case 'absent':
      return { key, result: 'Equal', target: 'Create', create_revision: '0' };
    case 'created-at':
      return { key, result: 'Equal', target: 'Create', create_revision: numbered(guard.revision) };
    case 'unmoved-since':
      return { key, result: 'Equal', target: 'Mod', mod_revision: numbered(guard.revision) };
  }
}

const numbered = (revision: bigint): string => (revision > 0n ? String(revision) : NOTHING);

function operationOf(change: Change): IRequestOp {
  const key = keyBytes(change.key);
  if (change.kind === 'delete') return { request_delete_range: { key } };
  // A copy: it is sent after the caller has its buffer back.
  const put = { key, value: Buffer.from(change.value) };
  return { request_put: change.lease === undefined ? put : { ...put, lease: change.lease.id } };
}

/**
 * A transaction that only reads is answered without a vote, and was stale at times (etcd-io/etcd#20418). Deleting a key that
 * cannot be there (ours are printable) changes nothing and goes the way of writes.
 */
const touchNothing = ([first]: readonly Guard[]): IRequestOp[] =>
  first === undefined ? [] : [{ request_delete_range: { key: keyBytes(`${first.key}\0`) } }];

const keysOf = (guards: readonly Guard[]): string[] => [...new Set(guards.map(({ key }) => key))];

/** Indexes of the guards that did not hold, by what the other branch saw. */
export function failedOf({ responses }: ITxnResponse, guards: readonly Guard[]): number[] {
  const seen = new Map(keysOf(guards).map((key, index) => [key, responses[index]?.response_range.kvs[0]]));
  return guards.flatMap((guard, index) => {
    const entry = seen.get(guard.key);
    const revision = guard.is === 'created-at' ? entry?.create_revision : entry?.mod_revision;
    const holds = guard.is === 'absent' ? entry === undefined : revision === String(guard.revision);
    return holds ? [] : [index];
  });
}
