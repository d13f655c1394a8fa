import { ok } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import type { PodShape } from '../testing/kube-api/pods.ts';
import { declares, pod, podScene, put } from '../testing/pods-at-hand.ts';
import { type EndpointView, type Family, resolveEndpoint } from './endpoint.ts';
import { isExclusive, poolOf } from './membership.ts';

const asked = { poolId: 'blue' as never, supervisorUid: 's1', appPort: 8443 };
const good: PodShape = { labels: { pool: 'blue' }, ips: ['10.0.0.7'] };

/** The supervisor `s1` as its shape says, among others; resolved as the driver does it. */
function resolve(
  shape: PodShape | undefined,
  others: readonly [string, PodShape][] = [],
  change: Partial<EndpointView> = {},
  question: object = {},
  prefer: Family = 'ipv4',
) {
  const scene = podScene();
  scene.apply(...(shape === undefined ? [] : [put(pod('s1', shape))]), ...others.map(([uid, other]) => put(pod(uid, other))));
  const found = scene.index.pod('s1');
  const view: EndpointView = {
    ageMs: 1_000,
    pod: found,
    pool: found === undefined ? ok('blue' as never) : poolOf(found, scene.index, scene.claims, { sidecars: false }),
    usersOf: scene.index.usersOf,
    slice: undefined,
    ...change,
  };
  const answer = resolveEndpoint(view, { ...asked, ...question }, prefer);
  return answer.ok
    ? `${answer.value.address} ${answer.value.port} ${answer.value.podUid}`
    : `${answer.error.kind}: ${answer.error.message}`;
}

describe('an endpoint is', () => {
  const slice = (ips: string[], ports: number[]) => ({ kind: 'at' as const, ips, ports });
  const rows: [title: string, got: () => string, want: string | RegExp][] = [
    ['the address of the Pod with that UID, and the port that was asked for', () => resolve(good), '10.0.0.7 8443 s1'],
    [
      'of the family that is preferred',
      () => resolve({ ...good, ips: ['10.0.0.7', 'fd00::7'] }, [], {}, {}, 'ipv6'),
      'fd00::7 8443 s1',
    ],
    [
      'of the family that is preferred, whichever comes first',
      () => resolve({ ...good, ips: ['fd00::7', '10.0.0.7'] }),
      '10.0.0.7 8443 s1',
    ],
    ['of the other family, where there is no choice', () => resolve({ ...good, ips: ['fd00::7'] }), 'fd00::7 8443 s1'],
    [
      'given though an ended Pod had the address before',
      () => resolve(good, [['old', { ips: ['10.0.0.7'], phase: 'Succeeded' }]]),
      '10.0.0.7 8443 s1',
    ],
    [
      'given though a Pod on the node has that address',
      () => resolve(good, [['node', { ips: ['10.0.0.7'], hostNetwork: true }]]),
      '10.0.0.7 8443 s1',
    ],
    ['where its Service says', () => resolve(good, [], { slice: slice(['10.0.0.7'], [8443]) }), '10.0.0.7 8443 s1'],
    ['none: nothing was listed yet', () => resolve(good, [], { ageMs: undefined }), /^not-ready: .*not seen/],
    ['none: what is known is stale', () => resolve(good, [], { ageMs: 60_001 }), /^not-ready: .*60 s/],
    ['given at the very edge of that', () => resolve(good, [], { ageMs: 60_000 }), '10.0.0.7 8443 s1'],
    ['none: the listener is off', () => resolve(good, [], {}, { appPort: 0 }), /^fenced: .*is off/],
    ['none: no such Pod', () => resolve(undefined), /^fenced: .*no Pod with the UID s1/],
    [
      'none: the view is of another UID',
      () => resolve(good, [], {}, { supervisorUid: 's2' }),
      /^fenced: .*no Pod with the UID s2/,
    ],
    ['none: it has ended', () => resolve({ ...good, phase: 'Failed' }), /has ended/],
    ['none: it succeeded, though it is called ready', () => resolve({ ...good, phase: 'Succeeded', ready: true }), /has ended/],
    ['none: it is being deleted', () => resolve({ ...good, deleting: true }), /being deleted/],
    ['none: it is not ready', () => resolve({ ...good, ready: false }), /not ready/],
    ['none: it has no address', () => resolve({ ...good, ips: [] }), /no address/],
    ['none: it is on the network of its node', () => resolve({ ...good, hostNetwork: true }), /node's network/],
    ['none: another Pod that lives has that address', () => resolve(good, [['x', { ips: ['10.0.0.7'] }]]), /several Pods/],
    [
      'none: another that goes away still has it',
      () => resolve(good, [['x', { ips: ['10.0.0.7'], deleting: true }]]),
      /several Pods/,
    ],
    [
      'none: another has it that is not even ready',
      () => resolve(good, [['x', { ips: ['fd00::1', '10.0.0.7'], ready: false }]]),
      /several Pods/,
    ],
    ['none: it is of another pool', () => resolve({ ...good, labels: { pool: 'red' } }), /another pool than blue/],
    ['none: it names no pool', () => resolve({ ...good, labels: {} }), /names no pool/],
    ['none: it supervises one sandbox alone', () => resolve({ ...good, labels: { supervises: 'team.demo' } }), /another pool/],
    [
      'none: it is a workload that asks to be served by that pool',
      () => resolve({ ...good, labels: { workspace: 'team', sandbox: 'demo', pool: 'blue' } }),
      /is a workload/,
    ],
    ['none: its Service has no such port', () => resolve(good, [], { slice: slice(['10.0.0.7'], [9443]) }), /no port 8443/],
    [
      'none: its Service names the address of another',
      () => resolve(good, [], { slice: slice(['10.0.0.9'], [8443]) }),
      /not the Pod's/,
    ],
    [
      'none: its Service does not know it',
      () => resolve(good, [], { slice: { kind: 'nowhere', why: 'Service a does not name this Pod' } }),
      /does not name/,
    ],
  ];
  test.each(rows)('%s', (_title, got, want) =>
    typeof want === 'string' ? expect(got()).toBe(want) : expect(got()).toMatch(want),
  );
});

describe('the pool of a sandbox’s own Pod', () => {
  const own = declares('team/demo', 'web=1', { mode: 'dedicated' });
  const pool = (sidecars: boolean, ...others: [string, PodShape][]) => {
    const scene = podScene();
    const supervisor = pod('s1', own);
    scene.apply(put(supervisor), ...others.map(([uid, shape]) => put(pod(uid, shape))));
    const found = poolOf(supervisor, scene.index, scene.claims, { sidecars });
    return found.ok ? found.value : found.error;
  };
  test('is its own, where that is allowed', () => expect(pool(true)).toBe('dedicated:team:demo'));
  test('is none, where it is not', () => expect(pool(false)).toMatch(/is a workload/));
  test('is none while another Pod claims the name', () =>
    expect(pool(true, ['x', declares('team/demo')])).toMatch(/not the one life/));
});

describe('every earlier supervisor is certainly dead', () => {
  const rows: [title: string, shape: PodShape, want: boolean][] = [
    ['when its one container runs again', { containers: [{ name: 'main', restarts: 1 }] }, true],
    [
      'when the container called supervisor runs again',
      { containers: [{ name: 'app' }, { name: 'supervisor', restarts: 3 }] },
      true,
    ],
    [
      'when the container that is named does',
      { annotations: { 'supervisor-container': 'guard' }, containers: [{ name: 'app' }, { name: 'guard', restarts: 1 }] },
      true,
    ],
    [
      'not when nothing says that the one before has ended',
      { containers: [{ name: 'main', restarts: 1, predecessorUnknown: true }] },
      false,
    ],
    ['not when it is the first', { containers: [{ name: 'main' }] }, false],
    ['not while it does not run', { containers: [{ name: 'main', restarts: 1, running: false }] }, false],
    ['not when another container was restarted', { containers: [{ name: 'app', restarts: 4 }, { name: 'supervisor' }] }, false],
    [
      'not when one cannot tell which it is',
      {
        containers: [
          { name: 'a', restarts: 1 },
          { name: 'b', restarts: 1 },
        ],
      },
      false,
    ],
    [
      'not when the one that is named is not there',
      { annotations: { 'supervisor-container': 'x' }, containers: [{ name: 'main', restarts: 1 }] },
      false,
    ],
  ];
  test.each(rows)('%s', (_title, shape, want) => expect(isExclusive(pod('s1', shape))).toBe(want));
});
