import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { runCase } from '../rig/case.ts';
import { gatewayDrained, gatewayKilled, gatewayPaused } from './faults/gateways.ts';
import { rollingRestart } from './faults/restart.ts';

describeEtcd('gateways as real processes', () => {
  test('killed', () => runCase('gateway-killed', {}, (scene) => gatewayKilled(scene)), 120_000);
  test('paused for 20 s and resumed', () => runCase('gateway-paused', { supervisorCount: 2 }, gatewayPaused), 180_000);
  test('drained', () => runCase('gateway-drained', {}, gatewayDrained), 120_000);
  test('all of the control plane, one after the other', () => runCase('rolling-restart', {}, rollingRestart), 180_000);
  test(
    'killed, with polling',
    () => runCase('gateway-killed-poll', { delivery: 'poll' }, (scene) => gatewayKilled(scene, 'gateway killed (polling)')),
    120_000,
  );
});
