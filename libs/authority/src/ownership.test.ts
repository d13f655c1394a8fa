import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acknowledge, fence, handOver, nextEpoch, offer, offerAfterFence, release, reoffer, restore } from './ownership.ts';
import type { Ownership } from './records.ts';
import { epoch, fencing, member, offered, owned, released, runtime } from './testing/index.ts';

const m0 = member('m0');
const m1 = member('m1');
const r0 = runtime('r0');
/** The wall clock stands well below the epochs of these rows, so that the next epoch is one more. */
const WALL = 0;

type Row = [title: string, decide: () => { ok: boolean; error?: string; value?: Ownership }, want: Ownership | string];

const rows: Row[] = [
  ['offer: released to a member, at the next epoch', () => offer(released(7), m0, WALL), offered('m0', 8)],
  ['offer: not what is offered already', () => offer(offered('m1', 7), m0, WALL), 'not_released'],
  ['offer: not what is owned', () => offer(owned('m1', 7), m0, WALL), 'not_released'],
  ['offer: not what is fenced', () => offer(fencing('m1', 8, 7), m0, WALL), 'not_released'],

  ['reoffer: to another, without a wait', () => reoffer(offered('m0', 8), m1, WALL), offered('m1', 9)],
  ['reoffer: not to the same', () => reoffer(offered('m0', 8), m0, WALL), 'same_member'],
  ['reoffer: not what was acknowledged meanwhile', () => reoffer(owned('m0', 8), m1, WALL), 'not_offered'],
  ['reoffer: not what is fenced (T8)', () => reoffer(fencing('m0', 8, 7), m1, WALL), 'not_offered'],

  ['acknowledge: the offer, by name and epoch', () => acknowledge(offered('m0', 8), m0, epoch(8)), owned('m0', 8)],
  ['acknowledge: not an earlier offer', () => acknowledge(offered('m0', 10), m0, epoch(8)), 'other_epoch'],
  ['acknowledge: not an offer to another', () => acknowledge(offered('m1', 8), m0, epoch(8)), 'other_member'],
  ['acknowledge: not twice', () => acknowledge(owned('m0', 8), m0, epoch(8)), 'not_offered'],
  ['acknowledge: not a release', () => acknowledge(released(8), m0, epoch(8)), 'not_offered'],
  ['acknowledge: not a fence', () => acknowledge(fencing('m0', 8, 7), m0, epoch(8)), 'not_offered'],

  ['hand over: what was released, to the successor', () => handOver(owned('m0', 7), epoch(7), m1, WALL), owned('m1', 8)],
  ['hand over: not on a late word about another tenure (T6)', () => handOver(owned('m0', 9), epoch(7), m1, WALL), 'other_epoch'],
  ['hand over: not to the owner itself', () => handOver(owned('m0', 7), epoch(7), m0, WALL), 'same_member'],
  ['hand over: not what is fenced: the wait decides', () => handOver(fencing('m0', 8, 7), epoch(7), m1, WALL), 'not_owned'],
  ['hand over: not what is only offered (T4)', () => handOver(offered('m0', 7), epoch(7), m1, WALL), 'not_owned'],

  ['release: by the owner, of its epoch', () => release(owned('m0', 7), m0, epoch(7)), released(7)],
  ['release: not of an earlier tenure (T6)', () => release(owned('m0', 9), m0, epoch(7)), 'other_epoch'],
  ['release: not by another', () => release(owned('m1', 7), m0, epoch(7)), 'other_member'],
  ['release: not once fenced', () => release(fencing('m0', 8, 7), m0, epoch(7)), 'not_owned'],
  ['release: not twice', () => release(released(7), m0, epoch(7)), 'not_owned'],

  ['fence: the owner, remembering its epoch and runtime', () => fence(owned('m0', 7), r0, WALL), fencing('m0', 8, 7)],
  ['fence: not twice', () => fence(fencing('m0', 8, 7), r0, WALL), 'not_owned'],
  ['fence: not an offer: it holds nothing yet', () => fence(offered('m0', 8), r0, WALL), 'not_owned'],
  ['fence: not a release', () => fence(released(7), r0, WALL), 'not_owned'],

  ['restore: the suspect, by the fencing epoch', () => restore(fencing('m0', 8, 7), m0, epoch(8)), owned('m0', 8)],
  ['restore: not by the epoch it owned before', () => restore(fencing('m0', 8, 7), m0, epoch(7)), 'other_epoch'],
  ['restore: not another member', () => restore(fencing('m0', 8, 7), m1, epoch(8)), 'other_member'],
  ['restore: not once offered on', () => restore(offered('m1', 9), m0, epoch(8)), 'not_fencing'],

  ['offer after fence: to another', () => offerAfterFence(fencing('m0', 8, 7), m1, WALL), offered('m1', 9)],
  ['offer after fence: never to the fenced one (T8)', () => offerAfterFence(fencing('m0', 8, 7), m0, WALL), 'same_member'],
  ['offer after fence: not what was restored', () => offerAfterFence(owned('m0', 8), m1, WALL), 'not_fencing'],
];

test.each(rows)('%s', (_title, decide, want) => {
  const decided = decide();
  expect(decided.ok ? decided.value : decided.error).toEqual(want);
});

describe('epochs', () => {
  test('follow the wall clock, so that they survive a restore', () => expect(nextEpoch(epoch(5), 1_000.9)).toBe(1_000n));
  test('rise by one where the wall clock is behind', () => expect(nextEpoch(epoch(2_000), 1_000)).toBe(2_001n));
  test('rise by one within a millisecond', () => expect(nextEpoch(epoch(1_000), 1_000)).toBe(1_001n));

  test('only rise, and each owner has one of its own, over any sequence of legal transitions', () => {
    const members = fc.constantFrom('m0', 'm1', 'm2').map(member);
    const act = fc.record({
      verb: fc.constantFrom('offer', 'reoffer', 'acknowledge', 'handOver', 'release', 'fence', 'restore', 'offerAfterFence'),
      by: members,
      wall: fc.integer({ min: 0, max: 40 }),
      named: fc.integer({ min: -2, max: 0 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        let current: Ownership = released(1);
        const ownerOf = new Map<bigint, string>();
        for (const { verb, by, wall, named } of acts) {
          // Whoever speaks names the present epoch, or one before it.
          const says = epoch(current.epoch + BigInt(named));
          const next: { ok: boolean; value?: Ownership } = {
            offer: () => offer(current, by, wall),
            reoffer: () => reoffer(current, by, wall),
            acknowledge: () => acknowledge(current, by, says),
            handOver: () => handOver(current, says, by, wall),
            release: () => release(current, by, says),
            fence: () => fence(current, r0, wall),
            restore: () => restore(current, by, says),
            offerAfterFence: () => offerAfterFence(current, by, wall),
          }[verb]();
          if (!next.ok || next.value === undefined) continue;
          const before: Ownership = current;
          current = next.value;
          expect(current.epoch >= before.epoch).toBe(true);
          if (current.kind !== 'owned') continue;
          // The wait, or a release, lies between two owners: no transition leads from one straight to another but a handover.
          if (before.kind === 'owned') expect(verb).toBe('handOver');
          expect(ownerOf.get(current.epoch) ?? current.by).toBe(current.by);
          ownerOf.set(current.epoch, current.by);
        }
      }),
    );
  });
});
