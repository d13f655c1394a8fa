import { describe, expect, test } from 'vitest';
import { createRoster, type Listed, UNLISTED } from './roster.ts';

interface Named extends Listed {
  readonly name: string;
}
const [a, b, c] = ['a', 'b', 'c'].map((name): Named => ({ name, slot: UNLISTED })) as [Named, Named, Named];

describe('a roster', () => {
  const rows: [title: string, gone: Named[], left: string[]][] = [
    ['has whoever came', [], ['a', 'b', 'c']],
    ['is left by the first', [a], ['b', 'c']],
    ['is left by the last', [c], ['a', 'b']],
    ['is left once', [b, b], ['a', 'c']],
    ['is left by the one that took another’s place', [a, c], ['b']],
    ['is left by all', [b, a, c], []],
  ];
  test.each(rows)('%s', (_title, gone, left) => {
    const roster = createRoster<Named>();
    for (const each of [a, b, c]) roster.add(each);
    for (const each of gone) roster.remove(each);
    expect(roster.members.map(({ name }) => name).sort()).toEqual(left);
    expect(gone.every(({ slot }) => slot === UNLISTED)).toBe(true);
  });

  test('is entered once', () => {
    const roster = createRoster<Named>();
    for (const each of [a, b, a]) roster.add(each);
    expect(roster.members).toEqual([a, b]);
  });

  test('is not left by who is in another', () => {
    const [one, other] = [createRoster<Named>(), createRoster<Named>()];
    one.add(a);
    other.add(b);
    one.remove(b);
    expect([one.members, other.members]).toEqual([[a], [b]]);
  });

  test('can be gone through from its end while all of them leave', () => {
    const roster = createRoster<Named>();
    for (const each of [a, b, c]) roster.add(each);
    const seen: string[] = [];
    for (let index = roster.members.length - 1; index >= 0; index -= 1) {
      const each = roster.members[index] as Named;
      seen.push(each.name);
      roster.remove(each);
    }
    expect([seen.sort(), roster.members]).toEqual([['a', 'b', 'c'], []]);
  });
});
