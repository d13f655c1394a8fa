import { describe, expect, test } from 'vitest';
import { createCache, GONE_MAX } from './cache.ts';

const item = (uid: string, version: number, note = '') => ({ uid, version: String(version), note });
type Item = ReturnType<typeof item>;

function create(...present: Item[]) {
  const cache = createCache<Item>();
  const heard: string[] = [];
  cache.replace(present, '100');
  cache.onChange((changes) => heard.push(changes.map(({ kind, item }) => `${kind} ${item.uid}@${item.version}`).join(' ')));
  const held = (): string[] => [...cache.items.values()].map(({ uid, version }) => `${uid}@${version}`).sort();
  return { cache, heard, held };
}
type Scene = ReturnType<typeof create>;

test('as many removals are remembered as that, of what was never seen too', () => {
  const { cache, held } = create();
  for (let n = 0; n <= GONE_MAX; n += 1) cache.remove(item(`z${n}`, 200));
  for (const uid of ['z0', 'z1']) cache.put(item(uid, 201));
  expect(held()).toEqual(['z0@201']);
});

describe('what is held after', () => {
  const rows: [title: string, act: (scene: Scene) => unknown, held: string[], heard: string[]][] = [
    ['nothing', () => undefined, ['a@10', 'b@20'], []],
    ['a new one', ({ cache }) => cache.put(item('c', 110)), ['a@10', 'b@20', 'c@110'], ['put c@110']],
    ['a newer one', ({ cache }) => cache.put(item('a', 110)), ['a@110', 'b@20'], ['put a@110']],
    ['the same again', ({ cache }) => cache.put(item('a', 10)), ['a@10', 'b@20'], []],
    ['an older one: refused', ({ cache }) => cache.put(item('a', 9)), ['a@10', 'b@20'], []],
    ['a removal', ({ cache }) => cache.remove(item('a', 111)), ['b@20'], ['removed a@10']],
    ['a removal of what is not there', ({ cache }) => cache.remove(item('z', 111)), ['a@10', 'b@20'], []],
    [
      'a removal told twice',
      ({ cache }) => [cache.remove(item('a', 111)), cache.remove(item('a', 111))],
      ['b@20'],
      ['removed a@10'],
    ],
    [
      'a UID that comes back: refused, since it never does',
      ({ cache }) => [cache.remove(item('a', 111)), cache.put(item('a', 10)), cache.put(item('a', 112))],
      ['b@20'],
      ['removed a@10'],
    ],
    [
      'an event of one whose removal came first: refused',
      ({ cache }) => [cache.remove(item('z', 111)), cache.put(item('z', 105))],
      ['a@10', 'b@20'],
      [],
    ],
    ['a list that is the same', ({ cache }) => cache.replace([item('a', 10), item('b', 20)], '120'), ['a@10', 'b@20'], []],
    [
      'a list that differs: one change for all of it',
      ({ cache }) => cache.replace([item('a', 115), item('c', 116)], '120'),
      ['a@115', 'c@116'],
      ['removed b@20 put a@115 put c@116'],
    ],
    ['an empty list', ({ cache }) => cache.replace([], '120'), [], ['removed a@10 removed b@20']],
    [
      'versions that are no numbers: a different one counts',
      ({ cache }) => cache.put({ ...item('a', 0), version: 'x9' }),
      ['a@x9', 'b@20'],
      ['put a@x9'],
    ],
  ];
  test.each(rows)('%s', (_title, act, want, told) => {
    const scene = create(item('a', 10), item('b', 20));
    act(scene);
    expect(scene.held()).toEqual(want);
    expect(scene.heard).toEqual(told);
  });
});

describe('a self-check with a list of version 120', () => {
  const none = { missing: 0, behind: 0, extra: 0 };
  const rows: [title: string, before: (scene: Scene) => unknown, listed: Item[], differences: object, held: string[]][] = [
    ['finds nothing where nothing differs', () => undefined, [item('a', 10), item('b', 20)], none, ['a@10', 'b@20']],
    [
      'finds one that was never told',
      () => undefined,
      [item('a', 10), item('b', 20), item('c', 90)],
      { ...none, missing: 1 },
      ['a@10', 'b@20', 'c@90'],
    ],
    [
      'finds a change that was never told',
      () => undefined,
      [item('a', 95), item('b', 20)],
      { ...none, behind: 1 },
      ['a@95', 'b@20'],
    ],
    ['finds a removal that was never told', () => undefined, [item('a', 10)], { ...none, extra: 1 }, ['a@10']],
    [
      'leaves alone what was changed since',
      ({ cache }) => cache.put(item('a', 130)),
      [item('a', 10), item('b', 20)],
      none,
      ['a@130', 'b@20'],
    ],
    [
      'leaves alone what was made since',
      ({ cache }) => cache.put(item('c', 130)),
      [item('a', 10), item('b', 20)],
      none,
      ['a@10', 'b@20', 'c@130'],
    ],
    [
      'leaves alone what was removed since',
      ({ cache }) => cache.remove(item('b', 130)),
      [item('a', 10), item('b', 20)],
      none,
      ['a@10'],
    ],
  ];
  test.each(rows)('%s', (_title, before, listed, differences, held) => {
    const scene = create(item('a', 10), item('b', 20));
    before(scene);
    expect(scene.cache.check(listed, '120')).toEqual(differences);
    expect(scene.held()).toEqual(held);
  });
});
