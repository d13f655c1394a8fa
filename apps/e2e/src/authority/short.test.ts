import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { runCase } from './rig/case.ts';
import { etcdRestarted } from './testing/faults/etcd.ts';
import { gatewayKilled } from './testing/faults/gateways.ts';

/** The short form of `npm run e2e`: one installation of real processes, and the two faults that happen most. */
describeEtcd('real processes', () => {
  test('serving goes on while etcd restarts, and when a gateway dies', async () => {
    await runCase('short', { gatewayCount: 2 }, async (scene) => {
      await etcdRestarted(scene);
      await gatewayKilled(scene);
    });
  }, 120_000);
});
