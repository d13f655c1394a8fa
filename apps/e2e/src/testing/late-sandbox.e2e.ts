import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { servesLate } from './late-sandbox.ts';

describeEtcd('npm start -- --processes --mode dedicated', () => {
  test(
    'a sandbox that is registered later, with its runtime, gets a supervisor',
    () => servesLate(['--processes'], ['--runtime-id=mine']),
    90_000,
  );
});
