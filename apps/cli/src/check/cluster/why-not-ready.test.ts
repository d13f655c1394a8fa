import { expect, test } from 'vitest';
import { whyNotReady } from './why-not-ready.ts';

const pod = (status: object, component = 'gateway') => ({
  metadata: { name: 'p', labels: { 'app.kubernetes.io/component': component } },
  status,
});
const container = (state: object, more: object = {}) => ({
  containerStatuses: [{ name: 'gateway', ready: false, state, ...more }],
});
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

const rows: [title: string, pods: readonly unknown[], why: string][] = [
  ['no Pod', [], ''],
  ['a Pod that is ready', [pod(ready)], ''],
  ['a Pod of another component', [pod(container({ running: {} }), 'driver')], ''],
  [
    'no node for it',
    [pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] })],
    'p: Unschedulable: 0/3 nodes',
  ],
  [
    'an image that is not there',
    [pod(container({ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }))],
    'p: gateway waits: ImagePullBackOff: no such image',
  ],
  [
    'a process that ends each time',
    [pod(container({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState: { terminated: { exitCode: 64 } } }))],
    'p: gateway waits: CrashLoopBackOff, ended with 64',
  ],
  ['one that runs', [pod(container({ running: {} }))], 'p: gateway runs and is not ready'],
  ['one that has ended', [pod(container({ terminated: { exitCode: 1 } }))], 'p: gateway is not running, ended with 1'],
  ['the first that is not ready', [pod(ready), pod(container({ running: {} }))], 'p: gateway runs and is not ready'],
  ['one that says nothing yet', [pod({})], ''],
  ['no object', [undefined, 'x', {}], ''],
];
test.each(rows)('%s', (_title, pods, why) => expect(whyNotReady(pods, 'gateway')).toBe(why));
test('no more than a line', () => {
  const waiting = { reason: 'x'.repeat(9_999) };
  expect(whyNotReady([pod(container({ waiting }))], 'gateway').length).toBeLessThan(300);
});
