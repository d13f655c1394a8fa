import { describe, expect, test } from 'vitest';
import { declares, pod, podScene, put, removed } from '../testing/pods-at-hand.ts';

const demo = { workspace: 'team', sandbox: 'demo' } as never;
type Scene = ReturnType<typeof podScene>;
const first = (shape = {}) => pod('u1', { ...declares('team/demo'), ...shape });
const second = (shape = {}) => pod('u2', { ...declares('team/demo'), ...shape });

describe('a name is that of', () => {
  const rows: [title: string, act: (scene: Scene) => unknown, runtimeId: string | undefined, told: string[]][] = [
    ['the Pod that declares it', () => undefined, 'u1', []],
    ['nobody, when that Pod is gone', ({ apply }) => apply(removed(first())), 'nobody', ['removed']],
    ['nobody, when that Pod has ended', ({ apply }) => apply(put(first({ phase: 'Failed' }))), 'nobody', ['removed']],
    ['nobody, when its label goes', ({ apply }) => apply(put(pod('u1', {}))), 'nobody', ['removed']],
    ['still that Pod while it goes away', ({ apply }) => apply(put(first({ deleting: true }))), 'u1', ['upserted']],
    ['neither of two', ({ apply }) => apply(put(second())), undefined, ['upserted']],
    ['the one that is left', ({ apply }) => [apply(put(second())), apply(removed(first()))], 'u2', ['upserted']],
    [
      'the one that does not go away',
      ({ apply }) => [apply(put(second())), apply(put(first({ deleting: true })))],
      'u2',
      ['upserted'],
    ],
    [
      'the one that has not ended',
      ({ apply }) => [apply(put(second())), apply(put(first({ phase: 'Succeeded' })))],
      'u2',
      ['upserted'],
    ],
    ['neither of two in two namespaces', ({ apply }) => apply(put(second({ namespace: 'other' }))), undefined, ['upserted']],
    ['the first, when the second is of another name', ({ apply }) => apply(put(pod('u2', declares('team/other')))), 'u1', []],
    ['the first, when the second cannot be used', ({ apply }) => apply(put(pod('u2', declares('team/De--mo')))), 'u1', []],
  ];
  test.each(rows)('%s', (_title, act, runtimeId, told) => {
    const scene = podScene();
    scene.apply(put(first()));
    const events: string[] = [];
    const { apply } = scene;
    act({
      ...scene,
      apply(...changes) {
        const heard = apply(...changes);
        events.splice(
          0,
          events.length,
          ...heard.flatMap((event) => ('workload' in event && event.workload.sandbox === 'demo' ? [event.kind] : [])),
        );
        return heard;
      },
    });
    const workload = scene.claims.get(demo);
    expect(workload === undefined ? 'nobody' : workload.runtimeId).toBe(runtimeId);
    expect(events).toEqual(told);
  });
});

test('a contested name says whose it would be, to both, and serves nothing', () => {
  const scene = podScene();
  scene.apply(put(first()), put(second({ namespace: 'other' })));
  expect(scene.claims.get(demo)).toMatchObject({
    runtimeId: undefined,
    ready: false,
    services: [],
    problem: expect.stringMatching(/2 Pods claim team\/demo.*default\/pod-u1, other\/pod-u2/),
  });
  expect(scene.claims.problemOf('u1')).toBe(scene.claims.problemOf('u2'));
  expect([scene.claims.isPresent(demo, 'u1'), scene.claims.isPresent(demo, 'u2')]).toEqual([false, false]);
  scene.apply(removed(second()));
  expect(scene.claims.problemOf('u1')).toBe('');
});
test('of very many who claim one name the first are told, and no more for each change', () => {
  const scene = podScene();
  for (let n = 0; n < 40; n += 1) scene.apply(put(pod(`u${n}`, declares('team/demo'))));
  expect(scene.claims.claimants(demo, 3)).toEqual(['u0', 'u1', 'u2']);
  expect(scene.claims.claimants({ workspace: 'team', sandbox: 'other' } as never, 3)).toEqual([]);
});
test('what changes nothing for a name is not told', () => {
  const scene = podScene();
  scene.apply(put(first()));
  expect(scene.apply(put(first({ ips: ['10.0.0.1'] })))).toEqual([]);
});
test('one list of changes is one outcome: a Pod that is replaced is never gone between', () => {
  const scene = podScene();
  scene.apply(put(first()));
  expect(scene.apply(removed(first()), put(second()))).toMatchObject([{ kind: 'upserted', workload: { runtimeId: 'u2' } }]);
});
test('a bad annotation of one Pod is its own', () => {
  const scene = podScene();
  scene.apply(put(first()));
  expect(scene.apply(put(pod('u9', declares('team/bad', 'web=http'))))).toMatchObject([
    { workload: { sandbox: 'bad', services: [] } },
  ]);
  expect(scene.claims.problemOf('u9')).toMatch(/not name=port/);
  expect(scene.claims.get(demo)).toMatchObject({ services: [{ service: 'web' }], problem: '' });
});

test.each([
  ['at its address', { ips: ['10.0.0.1', 'fd00::1'] }, '10.0.0.1:9443'],
  ['in brackets where that is IPv6', { ips: ['fd00::1'] }, '[fd00::1]:9443'],
  ['at a name that leads nowhere before it has one', { ips: [] }, 'unplaced.invalid:9443'],
  ['nowhere on the network of its node', { ips: ['10.0.0.1'], hostNetwork: true }, undefined],
])('its boundary is %s', (_title, shape, want) => {
  const scene = podScene();
  scene.apply(put(pod('u1', { ...declares('team/demo', '80', { boundary: '9443' }), ...shape })));
  expect(scene.claims.get(demo)?.boundaryAddress).toBe(want);
});
