import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { runCase } from '../rig/case.ts';
import { etcdRestarted, leaderLost, quorumLost } from './faults/etcd.ts';
import { everythingRestarted } from './faults/restart.ts';

const THREE = { etcdCount: 3 };

describeEtcd('etcd as real processes', () => {
  test('restarted', () => runCase('etcd-restarted', {}, etcdRestarted), 120_000);
  test('leader killed', () => runCase('leader-killed', THREE, (scene) => leaderLost(scene, 'killed')), 180_000);
  test('leader stopped', () => runCase('leader-stopped', THREE, (scene) => leaderLost(scene, 'stopped')), 180_000);
  test('quorum lost, shared', () => runCase('quorum-shared', THREE, (scene) => quorumLost(scene, 'shared')), 240_000);
  test('quorum lost, dedicated', () => {
    const options = { ...THREE, dedicated: true };
    return runCase('quorum-dedicated', options, (scene) => quorumLost(scene, 'dedicated'));
  }, 240_000);
  test('everything restarted', () => runCase('everything-restarted', THREE, everythingRestarted), 240_000);
});
