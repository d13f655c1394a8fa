import { createScene, member, owned, POOL, type Scene } from '@sallyport/authority/testing';
import { describe, expect, test } from 'vitest';
import { rivalsOf } from './rivals.ts';

type Row = [title: string, change: (scene: Scene) => void, want: readonly string[]];

/** m1 has joined with the uid of its Pod; m0 owns. */
describe('in the place of a member that has joined are', () => {
  const uid = 'pod-1';
  const rows: Row[] = [
    ['nobody, where all have uids of their own', () => undefined, []],
    ['one that is on record with its uid', (scene) => scene.member('m0', { supervisorUid: uid }), ['m0']],
    [
      'an owner whose record went with its Join: its session is still there',
      (scene) => {
        scene.session('m0', 's0', { supervisorUid: uid });
        scene.leave('m0');
      },
      ['m0'],
    ],
    ['never itself', (scene) => void scene.session('m1', 's1', { supervisorUid: uid }), []],
    [
      'none whose uid the driver has not proved',
      (scene) => {
        scene.session('m0', 's0', {});
        scene.leave('m0');
      },
      [],
    ],
    [
      'each once',
      (scene) => {
        scene.member('m0', { supervisorUid: uid });
        scene.session('m0', 's0', { supervisorUid: uid });
      },
      ['m0'],
    ],
  ];
  test.each(rows)('%s', (_title, change, want) => {
    const scene = createScene();
    scene.owner(owned('m0', 7));
    scene.member('m1', { supervisorUid: uid });
    change(scene);
    expect(rivalsOf(scene.world, POOL, member('m1'), uid)).toEqual(want);
  });
});
