import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { massMoves } from './mass.ts';

describeEtcd('mass moves', () => {
  test('a gateway drained, a supervisor lost', massMoves, 400_000);
});
