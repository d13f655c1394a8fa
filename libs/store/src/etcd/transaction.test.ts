import type { StoreRevision } from '@sallyport/model';
import type { ITxnResponse } from 'etcd3';
import { describe, expect, test } from 'vitest';
import type { Guard } from '../port.ts';
import { failedOf, requestOf } from './transaction.ts';

const at = (revision: bigint) => revision as StoreRevision;

describe('guards', () => {
  const rows: [title: string, guard: Guard, compare: object][] = [
    ['absent', { key: 'a', is: 'absent' }, { target: 'Create', create_revision: '0' }],
    ['this incarnation', { key: 'a', is: 'created-at', revision: at(7n) }, { target: 'Create', create_revision: '7' }],
    ['unmoved', { key: 'a', is: 'unmoved-since', revision: at(7n) }, { target: 'Mod', mod_revision: '7' }],
    // To etcd an absent key has revision 0.
    ['no revision is 0', { key: 'a', is: 'unmoved-since', revision: at(0n) }, { target: 'Mod', mod_revision: '-1' }],
  ];
  test.each(rows)('%s', (_title, guard, compare) => {
    expect(requestOf({ guards: [guard], changes: [] }).compare).toEqual([{ key: Buffer.from('a'), result: 'Equal', ...compare }]);
  });
  test('each guarded key is looked at once where they fail', () => {
    const guards: Guard[] = [
      { key: 'a', is: 'created-at', revision: at(1n) },
      { key: 'a', is: 'unmoved-since', revision: at(1n) },
      { key: 'b', is: 'absent' },
    ];
    expect(requestOf({ guards, changes: [] }).failure).toHaveLength(2);
  });
  test('without a change the transaction is a write all the same, and one that changes nothing', () => {
    const { success } = requestOf({ guards: [{ key: 'a', is: 'absent' }], changes: [] });
    expect(success).toEqual([{ request_delete_range: { key: Buffer.from('a\0') } }]);
  });
});

test('blames every guard that did not hold, by what the other branch saw', () => {
  const guards: Guard[] = [
    { key: 'a', is: 'created-at', revision: at(5n) },
    { key: 'a', is: 'unmoved-since', revision: at(5n) },
    { key: 'none', is: 'absent' },
    { key: 'none', is: 'unmoved-since', revision: at(5n) },
    { key: 'a', is: 'absent' },
  ];
  const seen = (kvs: object[]) => ({ response_range: { kvs } });
  const response = { responses: [seen([{ create_revision: '5', mod_revision: '6' }]), seen([])] } as unknown as ITxnResponse;
  expect(failedOf(response, guards)).toEqual([1, 3, 4]);
});
