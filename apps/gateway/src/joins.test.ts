import { gateway, member, POOL, type Scene } from '@sallyport/authority/testing';
import { err, failure, type JoinId, type MemberId, ok, type PoolId } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { type JoinRequest, joinRequestMessage, type MemberState, type supervisorV1 } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import type { ProveSupervisor } from './credentials.ts';
import { createJoins, type Joins } from './joins.ts';
import { compared, recordWrites, writesFor } from './testing/recorded-writes.ts';

const STATE: MemberState = { ready: true, draining: false, appPort: 8443, capacity: 10 };
const state = (changes: Partial<MemberState>): JoinRequest => ({ kind: 'state', state: { ...STATE, ...changes } });

type Proof = Awaited<ReturnType<ProveSupervisor>>;

interface Given {
  readonly memberId?: string;
  readonly proof?: Proof;
  readonly authority?: false;
  readonly closed?: true;
  readonly first?: readonly JoinRequest[];
  readonly says?: readonly JoinRequest[];
  /** Its stream is over by then. */
  readonly gives?: 'up before' | 'up while it is written';
  /** While it is joined, having said all that. */
  readonly meanwhile?: (scene: Scene, joins: Joins) => void;
}

const proves = (poolId: string, exclusive = false): Proof =>
  ok({ poolId: poolId as PoolId, supervisorUid: 'uid-m0', exclusive, sandboxId: undefined });

async function join(given: Given = {}) {
  const stage = recordWrites();
  const { scene, writings } = stage;
  const { memberId = 'm0', proof = proves(POOL), authority, closed, says = [] } = given;
  const hello: JoinRequest = { kind: 'hello', memberId: member(memberId), poolId: POOL, credential: 'secret', state: STATE };
  const dead: MemberId[] = [];
  const over = new AbortController();
  if (given.gives === 'up before') over.abort();
  const joins = createJoins({
    ...writesFor(stage, authority),
    async reached() {
      if (given.gives === 'up while it is written') over.abort();
    },
    prove: async () => proof,
    onDead: (memberIds) => void dead.push(...memberIds),
    clock: createManualClock(1_000),
    randomId: () => 'join-new',
  });
  if (closed === true) joins.close();
  async function* received(): AsyncGenerator<supervisorV1.JoinRequest> {
    for (const request of [...(given.first ?? [hello]), ...says]) yield joinRequestMessage(request);
    given.meanwhile?.(scene, joins);
  }
  const sent: supervisorV1.JoinResponse[] = [];
  const send = (response: supervisorV1.JoinResponse): boolean => sent.push(response) > 0;
  const result = await joins.serve({ received: received(), send, fail: () => undefined, signal: over.signal } as never);
  return { sent, scene, writings, dead, joins, said: result.ok ? 'ok' : result.error.kind };
}

describe('a member is put on record', () => {
  test('over its record, so that what it owns stays shown', async () => {
    const { scene, writings } = await join();
    const revision = scene.world.members(POOL).get(member('m0'))?.modRevision;
    expect(writings.map(compared)).toEqual([[`member/pool/m0 unmoved-since ${revision}`]]);
  });
  test('where there is none yet', async () => {
    const { writings } = await join({ memberId: 'm9' });
    expect(writings.map(compared)).toEqual([['member/pool/m9 absent']]);
  });
  test('again when its state is another, and only then', async () => {
    expect((await join({ says: [state({}), state({ draining: true }), state({ draining: true })] })).writings).toHaveLength(2);
  });

  const rows: readonly (readonly [title: string, given: Given, want: string])[] = [
    ['not for another pool than it proves', { proof: proves('other') }, 'forbidden'],
    ['not if it proves nothing', { proof: err(failure('unauthenticated', '')) }, 'unauthenticated'],
    ['not by a gateway without authority', { authority: false }, 'not-ready'],
    ['not by one that is leaving', { closed: true }, 'not-ready'],
    ['not before hello', { first: [state({})] }, 'malformed'],
  ];
  test.each(rows)('%s', async (_title, given, want) => {
    const { said, writings } = await join(given);
    expect([said, writings]).toEqual([want, []]);
  });
});

describe('a member that has given up', () => {
  test('before it is put on record is not', async () => {
    const { writings, sent } = await join({ gives: 'up before' });
    expect([writings, sent]).toEqual([[], []]);
  });
  test("while it was put on record takes no place, and the record is nobody's", async () => {
    const { writings, sent, joins } = await join({ gives: 'up while it is written' });
    expect([writings.length, sent, joins.holds('join-new' as JoinId)]).toEqual([1, [], false]);
  });
});

describe('a member that a late Join elsewhere has put on record as its own', () => {
  const late = (scene: Scene, joins: Joins, gatewayId: string): void => {
    scene.member('m0', { gatewayId: gateway(gatewayId), joinId: 'join-late' as JoinId });
    joins.orphaned(member('m0'));
  };
  test('is put on record as joined here once that gateway is gone, over its record', async () => {
    const { scene, writings } = await join({ meanwhile: (scene, joins) => late(scene, joins, 'g-dead') });
    const revision = scene.world.members(POOL).get(member('m0'))?.modRevision;
    expect(writings.map(compared).slice(1)).toEqual([[`member/pool/m0 unmoved-since ${revision}`]]);
  });
  test('stays as it is while that gateway stands', async () => {
    const meanwhile = (scene: Scene, joins: Joins): void => {
      scene.gateway('g1');
      late(scene, joins, 'g1');
    };
    expect((await join({ meanwhile })).writings).toHaveLength(1);
  });
  test('stays as it is where nobody of that name is joined', async () => {
    const { joins, scene, writings } = await join();
    late(scene, joins, 'g-dead');
    expect(writings).toHaveLength(1);
  });
});

describe('a ping', () => {
  const pongs = (sent: readonly supervisorV1.JoinResponse[]) => sent.filter(({ response }) => response?.$case === 'pong');
  test('is answered, each of them, and written nowhere', async () => {
    const { sent, writings } = await join({ says: [{ kind: 'ping' }, { kind: 'ping' }] });
    expect(pongs(sent)).toEqual(Array(2).fill({ response: { $case: 'pong', value: { againMs: 500 } } }));
    expect(writings).toHaveLength(1);
  });
  test('is no proof of life where the driver is certain: that is the word of its state', async () => {
    expect((await join({ memberId: 'm9', proof: proves(POOL, true), says: [{ kind: 'ping' }] })).dead).toEqual([]);
  });
  test('before hello is malformed', async () => {
    const { said, sent } = await join({ first: [{ kind: 'ping' }] });
    expect([said, sent]).toEqual(['malformed', []]);
  });
});

describe('another in the same place is dead', () => {
  test('once this one lives, where no two can (T22)', async () => {
    expect((await join({ memberId: 'm9', proof: proves(POOL, true), says: [state({})] })).dead).toEqual(['m0']);
  });
  test.each([
    ['not before it has said anything', { memberId: 'm9', proof: proves(POOL, true) }],
    ['not where the driver is not certain', { memberId: 'm9', says: [state({})] }],
    ['not the same member', { memberId: 'm0', proof: proves(POOL, true), says: [state({})] }],
  ] satisfies [string, Given][])('%s', async (_title, given) => {
    expect((await join(given)).dead).toEqual([]);
  });
});
