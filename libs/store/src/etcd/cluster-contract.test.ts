import { createClock } from '@sallyport/process';
import { afterAll, beforeAll } from 'vitest';
import { storeContract } from '../testing/contract.ts';
import { createEtcdRig, type EtcdRig } from '../testing/etcd-harness.ts';
import { describeEtcd, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';

describeEtcd('three real members', () => {
  const clock = createClock();
  let cluster: TestCluster;
  let rig: EtcdRig;
  beforeAll(async () => {
    cluster = await startTestCluster({ memberCount: 3 });
    rig = await createEtcdRig(cluster, clock);
  });
  afterAll(async () => {
    await rig?.close();
    await cluster?.stop();
    clock.stop();
  });

  storeContract('etcd, a cluster', () => rig.makeHarness());
});
