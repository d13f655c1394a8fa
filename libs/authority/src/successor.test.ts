import type { CredentialEpoch } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { judgeReport, judgeSuccessor, ownerRevision, type Report, type ReportingSession } from './judge.ts';
import { SAME_WRITE, type SandboxRecord, type Successor } from './records.ts';
import { firstInRank, readySuccessor, releaseIsDue, successorOf } from './successor.ts';
import {
  createScene,
  epoch,
  fencing,
  gateway,
  member,
  offered,
  owned,
  POOL,
  runtime,
  SANDBOX,
  type Scene,
  sessionId,
} from './testing/index.ts';

const m0 = member('m0');

/** m0 owns and drains; m1 is the only other member and has a session of its own. */
function draining(): Scene {
  const scene = createScene();
  scene.member('m0', { draining: true });
  scene.session('m1', 's1');
  return scene;
}

const session: ReportingSession = {
  sandboxId: SANDBOX,
  memberId: member('m1'),
  sessionId: sessionId('s1'),
  credentialEpoch: 1n as CredentialEpoch,
};
const reportOf = (scene: Scene, changes: Partial<Report> = {}): Report =>
  scene.report({ sessionId: sessionId('s1'), ownerEpoch: epoch(0), ...changes });

/** Puts the successor's preparation on record, as its gateway would. */
function prepare(scene: Scene, changes: Partial<Successor> = {}): void {
  const judged = judgeSuccessor(scene.world, session, reportOf(scene));
  if (!judged.ok) throw new Error(judged.error);
  const { fence } = judged.value;
  scene.successor({
    follows: epoch(7),
    installation: { memberId: session.memberId, fence } as Successor['installation'],
    ...changes,
  });
}

describe('who follows an owner', () => {
  const rows: [title: string, given: (scene: Scene) => void, want: string | undefined][] = [
    ['that drains: another member of its pool', () => undefined, 'm1'],
    ['that does not drain: nobody, only drains rebalance', (scene) => scene.member('m0', { draining: false }), undefined],
    ['nobody that drains as well', (scene) => scene.member('m1', { draining: true }), undefined],
    ['nobody that is not ready', (scene) => scene.member('m1', { ready: false }), undefined],
    ['nobody without room', (scene) => scene.member('m1', { capacity: 0 }), undefined],
    ['nobody whose gateway is gone', (scene) => scene.member('m1', { gatewayId: gateway('g-dead') }), undefined],
    ['nobody, where nobody is left', (scene) => scene.leave('m1'), undefined],
    ['not what is fenced: the wait decides', (scene) => scene.owner(fencing('m0', 8, 7)), undefined],
    ['not what is only offered', (scene) => scene.owner(offered('m0', 8)), undefined],
  ];
  test.each(rows)('%s', (_title, given, want) => {
    const scene = draining();
    given(scene);
    expect(successorOf(scene.world, SANDBOX)).toBe(want);
  });

  test('is the same for every gateway, and stays while others come to own more', () => {
    const scene = draining();
    for (const id of ['m2', 'm3', 'm4']) scene.member(id);
    const first = successorOf(scene.world, SANDBOX);
    for (let n = 0; n < 5; n += 1) scene.owner(owned(first ?? '', 3), `other-${n}` as typeof SANDBOX);
    expect(successorOf(scene.world, SANDBOX)).toBe(first);
    expect(scene.world.ownedCount(member(first ?? ''))).toBe(5);
  });
});

describe('the first in rank', () => {
  const firstOf = (members: readonly string[], sandboxId = SANDBOX): string | undefined => {
    const scene = createScene();
    scene.leave('m1');
    for (const id of members) scene.member(id);
    const sandbox = scene.world.sandboxes.get(SANDBOX)?.value as SandboxRecord;
    return firstInRank(scene.world, sandboxId, sandbox, m0);
  };

  test('does not depend on who has joined first, and is not always the same', () => {
    const chosen = Array.from({ length: 40 }, (_, index) => {
      const sandboxId = `sandbox-${index}` as typeof SANDBOX;
      const first = firstOf(['a', 'b', 'c'], sandboxId);
      expect(firstOf(['c', 'b', 'a'], sandboxId)).toBe(first);
      return first;
    });
    expect(new Set(chosen)).toEqual(new Set(['a', 'b', 'c']));
  });

  test('is the smaller id among equals', () => {
    // Two ids whose ranks for this sandbox are one number.
    const equals = ['aeolsd', 'nhupsz'];
    expect([firstOf(equals), firstOf(equals.toReversed())]).toEqual(['aeolsd', 'aeolsd']);
  });
});

describe('a report counts for a successor', () => {
  const rows: [title: string, given: (scene: Scene) => Partial<Report> | undefined, want: string][] = [
    ['as an owner’s, but that it owns nothing', () => undefined, 'stands'],
    ['not if it claims a tenure', () => ({ ownerEpoch: epoch(7) }), 'owner'],
    ['not if the owner stays', (scene) => void scene.member('m0', { draining: false }), 'owner'],
    ['not once the owner is fenced', (scene) => void scene.owner(fencing('m0', 8, 7)), 'owner'],
    ['not about another configuration', () => ({ configHash: 'f'.repeat(64) }), 'configuration'],
    ['not of another life of the workload', () => ({ runtimeId: runtime('r9') }), 'runtime'],
    ['not without its routes', () => ({ routes: [] }), 'routes'],
    ['not while its process is not ready', () => ({ ready: false }), 'ready'],
  ];
  test.each(rows)('%s', (_title, given, want) => {
    const scene = draining();
    const changes = given(scene);
    const judged = judgeSuccessor(scene.world, session, reportOf(scene, changes));
    expect(judged.ok ? 'stands' : judged.error).toBe(want);
    // It is no owner: nothing of it is published, or leased.
    expect(judgeReport(scene.world, session, reportOf(scene, changes)).ok).toBe(false);
  });
});

describe('an owner that drains is asked to let go', () => {
  const rows: [title: string, given: (scene: Scene) => void, want: boolean][] = [
    ['not before its successor is ready (T4)', () => undefined, false],
    ['once it is', (scene) => prepare(scene), true],
    ['when there is nobody to wait for', (scene) => scene.leave('m1'), true],
    ['not one that stays', (scene) => scene.member('m0', { draining: false }), false],
    [
      'not on the preparation of a member that is no longer first in rank',
      (scene) => {
        prepare(scene);
        const follower = successorOf(scene.world, SANDBOX);
        for (let n = 2; n < 50 && successorOf(scene.world, SANDBOX) === follower; n += 1) scene.member(`m${n}`);
      },
      false,
    ],
    ['not on a preparation for an earlier tenure', (scene) => prepare(scene, { follows: epoch(6) }), false],
  ];
  const moved: [title: string, act: (scene: Scene) => void][] = [
    ['the configuration', (scene) => scene.config(2n)],
    ['the successor’s session', (scene) => scene.session('m1', 's2')],
    ['the sandbox', (scene) => scene.sandbox()],
    ['the credential', (scene) => scene.credential(2n)],
    ['the owner record', (scene) => scene.owner(owned('m0', 7))],
    ['the generation of the store', (scene) => scene.generation('gen-2')],
    [
      'the member, by joining anew',
      (scene) => {
        scene.leave('m1');
        scene.member('m1');
      },
    ],
  ];
  for (const [what, act] of moved) {
    rows.push([
      `not when this moved since the preparation: ${what}`,
      (scene) => {
        prepare(scene);
        act(scene);
      },
      false,
    ]);
  }
  test.each(rows)('%s', (_title, given, want) => {
    const scene = draining();
    given(scene);
    expect(releaseIsDue(scene.world, SANDBOX, m0)).toBe(want);
    if (scene.world.members(POOL).has(session.memberId)) expect(readySuccessor(scene.world, SANDBOX) !== undefined).toBe(want);
  });
  test('nobody else is asked', () => {
    const scene = draining();
    prepare(scene);
    scene.member('m2', { draining: true });
    expect(releaseIsDue(scene.world, SANDBOX, session.memberId)).toBe(false);
    expect(releaseIsDue(scene.world, SANDBOX, member('m2'))).toBe(false);
  });
});

test('an installation that a takeover wrote rests on the owner that the same write made', () => {
  const installation = (owner: bigint) => ({ value: { fence: { owner } }, createRevision: 3n, modRevision: 9n }) as never;
  expect(ownerRevision(installation(SAME_WRITE))).toBe(9n);
  expect(ownerRevision(installation(5n))).toBe(5n);
});

test('what a member owns or is offered is counted, whatever became of it before', () => {
  const { world, owner, remove } = createScene();
  expect(world.ownedCount(m0)).toBe(1);
  owner(offered('m1', 8));
  expect([world.ownedCount(m0), world.ownedCount(member('m1'))]).toEqual([0, 1]);
  owner(owned('m1', 8));
  owner(owned('m1', 8));
  expect(world.ownedCount(member('m1'))).toBe(1);
  remove({ kind: 'owner', sandboxId: SANDBOX });
  remove({ kind: 'owner', sandboxId: SANDBOX });
  expect(world.ownedCount(member('m1'))).toBe(0);
});
