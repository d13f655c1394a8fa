import { createClock } from '@sallyport/process';
import { afterAll, beforeAll } from 'vitest';
import { storeContract } from '../testing/contract.ts';
import { createEtcdRig, type EtcdRig } from '../testing/etcd-harness.ts';
import { describeEtcd, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';

describeEtcd('one real etcd', () => {
  const clock = createClock();
  let cluster: TestCluster;
  let rig: EtcdRig;
  beforeAll(async () => {
    cluster = await startTestCluster();
    rig = await createEtcdRig(cluster, clock);
  });
  afterAll(async () => {
    await rig?.close();
    await cluster?.stop();
    clock.stop();
  });

  storeContract('etcd', () => rig.makeHarness());
});
