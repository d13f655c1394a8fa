import { describe, expect, test } from 'vitest';
import { fenceBearer } from './bearer.ts';
import { createScene, fencing, gateway, owned, runtime, SANDBOX, type Scene } from './testing/index.ts';

type Row = [title: string, change: (scene: Scene) => void, want: string | undefined];

describe('a fence is carried', () => {
  const rows: Row[] = [
    ['by a member that could follow', () => undefined, 'm1'],
    ['by nobody when there is no boundary', (scene) => scene.sandbox({ boundaryAddress: undefined }), undefined],
    ['by nobody while nobody is fenced', (scene) => scene.owner(owned('m0', 8)), undefined],
    ['never by the fenced one', (scene) => scene.leave('m1'), undefined],
    ['not by one that drains', (scene) => scene.member('m1', { draining: true }), undefined],
    ['not by one without room', (scene) => scene.member('m1', { capacity: 0 }), undefined],
    ['not by one whose gateway is gone', (scene) => scene.member('m1', { gatewayId: gateway('g9') }), undefined],
    [
      'T17: by nobody when the workload was replaced since: its boundary cannot speak for the one before',
      (scene) => scene.sandbox({ runtimeId: runtime('r1') }),
      undefined,
    ],
  ];
  test.each(rows)('%s', (_title, change, want) => {
    const scene = createScene();
    scene.sandbox({ boundaryAddress: 'demo:9443' });
    scene.owner(fencing('m0', 8, 7));
    change(scene);
    expect(fenceBearer(scene.world, SANDBOX)).toBe(want);
  });
});
