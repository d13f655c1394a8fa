import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { manyMembers } from './members.ts';

/** Fewer for a first look: SALLYPORT_MEMBERS=200. */
const most = Number(process.env.SALLYPORT_MEMBERS ?? 1_000);

describeEtcd('many members', () => {
  test(`${most} members`, () => manyMembers({ processCount: 4, membersEach: most / 4 }), 600_000);
});
