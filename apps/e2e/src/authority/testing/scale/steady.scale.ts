import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { steadyFleet } from './scale.ts';

/** Fewer for a first look: SALLYPORT_SCALE=2000. */
const most = Number(process.env.SALLYPORT_SCALE ?? 10_000);

describeEtcd('a steady fleet', () => {
  test.skipIf(most < 5_000)(
    '5,000 sandboxes',
    () => steadyFleet({ sandboxCount: 5_000, processCount: 2, membersEach: 5 }),
    900_000,
  );
  test(`${most} sandboxes`, () => steadyFleet({ sandboxCount: most, processCount: 4, membersEach: 5 }), 1_200_000);
});
