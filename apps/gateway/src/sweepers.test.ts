import { NO_GATEWAY, ORPHAN_MEMBER_MS, STREAM_LOST_SUSPECT_MS } from '@sallyport/authority';
import { epoch, gateway, member, owned, POOL, SANDBOX, type Scene } from '@sallyport/authority/testing';
import type { GatewayEpoch, JoinId, MemberId } from '@sallyport/model';
import { createManualClock, type ManualClock } from '@sallyport/process/manual-clock';
import { decodeMember } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import type { Joins } from './joins.ts';
import { startMemberSweeper } from './member-sweeper.ts';
import { startRecordSweeper } from './record-sweeper.ts';
import { compared, recordWrites, short, writesFor } from './testing/recorded-writes.ts';

interface Given {
  readonly authority?: false;
  readonly age?: 'none';
  readonly holds?: readonly string[];
}

/** Gateway g0, which holds these Joins; each time after `ms` what it has deleted so far. */
function open(start: (stage: Start) => { stop(): void }, given: Given) {
  const stage = recordWrites();
  const clock = createManualClock(1_000);
  const orphans: MemberId[] = [];
  const joins = {
    holds: (joinId: JoinId) => given.holds?.includes(joinId) === true,
    orphaned: (memberId: MemberId) => void orphans.push(memberId),
  } as Partial<Joins> as Joins;
  start({ ...writesFor(stage, given.authority), joins, clock, ageMs: () => (given.age === 'none' ? undefined : 100) });
  const deletedAfter = async (ms: number): Promise<readonly string[]> => {
    await clock.advanceAsync(ms);
    return [...new Set(stage.writings.flatMap(({ deletes }) => (deletes ?? []).map(short)))].sort();
  };
  return { ...stage, clock, orphans, deletedAfter };
}

type Start = Parameters<typeof startMemberSweeper>[0] & { readonly clock: ManualClock };
/** Found by a look each half second, and missed from then on. */
const LOOK_MS = 500;

describe('a member is removed', () => {
  const members = (given: Given = { holds: ['join-m1'] }) => open(startMemberSweeper, given);

  test('when its Join here has been gone for as long as a network may hiccup, and is compared (T15)', async () => {
    const { scene, deletedAfter, writings } = members();
    await deletedAfter(LOOK_MS);
    const given = writings.length;
    scene.member('m0', { gatewayId: NO_GATEWAY });
    expect(await deletedAfter(STREAM_LOST_SUSPECT_MS - 1)).toEqual([]);
    expect(await deletedAfter(1)).toEqual(['member/pool/m0']);
    expect(writings.slice(given).map(compared)).toEqual([
      [`member/pool/m0 unmoved-since ${scene.world.members(POOL).get(member('m0'))?.modRevision}`],
    ]);
  });

  test('after its record was given back, for another gateway may hold the Join that lives: it names none then', async () => {
    const { scene, deletedAfter, writings } = members();
    const present = scene.world.members(POOL).get(member('m0'));
    expect(await deletedAfter(LOOK_MS)).toEqual([]);
    expect(writings.map(compared)).toEqual([[`member/pool/m0 unmoved-since ${present?.modRevision}`]]);
    const [put] = writings.flatMap(({ puts }) => puts);
    expect(put && decodeMember(put.value('op'))).toMatchObject({
      value: { record: { ...present?.value, gatewayId: NO_GATEWAY } },
    });
  });

  test('never by who gave it back, once another has taken it', async () => {
    const { scene, deletedAfter } = members();
    await deletedAfter(LOOK_MS);
    scene.gateway('g1');
    scene.member('m0', { gatewayId: gateway('g1'), joinId: 'join-alive' as JoinId });
    expect(await deletedAfter(60_000)).toEqual([]);
  });

  test('when its gateway has been gone for long', async () => {
    const { scene, deletedAfter } = members({ holds: ['join-m0', 'join-m1'] });
    scene.member('m1', { gatewayId: gateway('g-dead') });
    expect(await deletedAfter(ORPHAN_MEMBER_MS + LOOK_MS - 1)).toEqual([]);
    expect(await deletedAfter(1)).toEqual(['member/pool/m1']);
  });

  test('long after a Join here was told that the record is of a gateway that is gone', async () => {
    const { scene, orphans, deletedAfter } = members({ holds: ['join-m0', 'join-m1'] });
    scene.member('m1', { gatewayId: gateway('g-dead') });
    expect(await deletedAfter(LOOK_MS)).toEqual([]);
    expect(orphans).toEqual(['m1']);
  });

  test('not when it has joined again meanwhile: that Join counts from its own loss', async () => {
    const { scene, deletedAfter } = members();
    await deletedAfter(LOOK_MS);
    scene.member('m0', { gatewayId: NO_GATEWAY });
    await deletedAfter(STREAM_LOST_SUSPECT_MS - LOOK_MS);
    scene.member('m0', { joinId: 'join-again' as JoinId });
    expect(await deletedAfter(STREAM_LOST_SUSPECT_MS)).toEqual([]);
  });

  const kept: [title: string, given: Given, act: (scene: Scene) => void][] = [
    ['while its Join is held', { holds: ['join-m0', 'join-m1'] }, () => undefined],
    ['while its gateway stands', { holds: ['join-m1'] }, (scene) => scene.member('m0', { gatewayId: gateway('g1') })],
    ['by a gateway without authority', { authority: false }, () => undefined],
    ['by a view of no age', { age: 'none' }, () => undefined],
  ];
  test.each(kept)('never %s', async (_title, given, act) => {
    const { scene, deletedAfter } = members(given);
    scene.gateway('g1');
    act(scene);
    expect(await deletedAfter(60_000)).toEqual([]);
  });
});

describe('a record is swept', () => {
  const records = (given: Given = {}) => open(startRecordSweeper, given);
  const LOOK_EVERY_MS = 15_000;
  const renew = (scene: Scene, by: string): void => {
    const revision = (scene.world.revision + 1n) as typeof scene.world.revision;
    const key = { kind: 'renewal', gatewayId: gateway(by), bucket: 0 } as const;
    const value = { gatewayEpoch: 1n as GatewayEpoch, asOf: revision, renewals: [] };
    scene.world.apply([{ key, held: { value, createRevision: revision, modRevision: revision } }], revision);
  };

  test('once its gateway has been gone for long: its renewals', async () => {
    const { scene, deletedAfter, writings } = records();
    renew(scene, 'g-dead');
    renew(scene, 'g0');
    expect(await deletedAfter(LOOK_EVERY_MS)).toEqual([]);
    expect(await deletedAfter(ORPHAN_MEMBER_MS)).toEqual(['renewal/g-dead/0']);
    const revision = scene.world.renewals(gateway('g-dead')).get(0)?.modRevision;
    expect(writings.map(compared)).toEqual([[`renewal/g-dead/0 unmoved-since ${revision}`]]);
  });

  const rows: [title: string, act: (scene: Scene) => void, want: readonly string[]][] = [
    ['no session of the owner, though its member is gone', (scene) => scene.leave('m0'), []],
    [
      'the session of a member that is gone and owns nothing',
      (scene) => {
        scene.owner(owned('m1', 8));
        scene.leave('m0');
      },
      ['session/sb/m0'],
    ],
    [
      'every session of a sandbox that is gone',
      (scene) => scene.remove({ kind: 'sandbox', sandboxId: SANDBOX }),
      ['session/sb/m0'],
    ],
    [
      'the preparation for a tenure that is over',
      (scene) => scene.successor({ follows: epoch(6), installation: {} as never }),
      ['successor/sb'],
    ],
    ['not that for the present one', (scene) => scene.successor({ follows: epoch(7), installation: {} as never }), []],
  ];
  test.each(rows)('%s', async (_title, act, want) => {
    const { scene, deletedAfter, writings } = records();
    act(scene);
    expect(await deletedAfter(LOOK_EVERY_MS)).toEqual(want);
    // What came back meanwhile stays.
    expect(writings.flatMap(compared).every((each) => / unmoved-since \d+$/.test(each))).toBe(true);
    expect(writings.every(({ guards }) => guards.length === 1)).toBe(true);
  });

  test.each([{ authority: false } as const, { age: 'none' } as const])('by nobody whose view may be old: %o', async (given) => {
    const { scene, deletedAfter } = records(given);
    scene.remove({ kind: 'sandbox', sandboxId: SANDBOX });
    expect(await deletedAfter(LOOK_EVERY_MS)).toEqual([]);
  });
});
