import type { ConfigRevision, CredentialEpoch, Generation, Host, StoreRevision } from '@sallyport/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Clause, judgeReport, type Report, type ReportingSession, sameFence } from './judge.ts';
import type { FenceTuple } from './records.ts';
import {
  createScene,
  epoch,
  fencing,
  member,
  offered,
  owned,
  POOL,
  released,
  runtime,
  SANDBOX,
  type Scene,
  service,
  sessionId,
} from './testing/index.ts';

const session: ReportingSession = {
  sandboxId: SANDBOX,
  memberId: member('m0'),
  sessionId: sessionId('s0'),
  credentialEpoch: 1n as CredentialEpoch,
};

/** What happens to the records, or to the report, before it is judged. */
type Row = [title: string, given: (scene: Scene) => Partial<Report> | undefined, want: Clause | 'stands'];

const web = { service: service('web', 8080).service, host: service('web', 8080).host, port: 8080 };
const rows: Row[] = [
  ['stands when all is as recorded', () => undefined, 'stands'],
  ['stands for a draining owner (T20)', (scene) => void scene.member('m0', { draining: true }), 'stands'],
  [
    'stands with its routes in any order',
    (scene) => {
      const { services } = scene.config(2n, [service('web', 1), service('api', 2)]);
      return { routes: [...services].reverse().map(({ service, host, port }) => ({ service, host, port })) };
    },
    'stands',
  ],
  ['stands with no routes, where none are declared', (scene) => void scene.config(2n, []), 'stands'],
  ['stands whatever happens to other members', (scene) => void scene.leave('m1'), 'stands'],

  ['generation: none is known', (scene) => void scene.remove({ kind: 'generation' }), 'generation'],
  ['sandbox: deleted', (scene) => void scene.remove({ kind: 'sandbox', sandboxId: SANDBOX }), 'sandbox'],
  ['session: replaced', (scene) => void scene.session('m0', 's1'), 'session'],
  ['session: gone', (scene) => void scene.remove({ kind: 'session', sandboxId: SANDBOX, memberId: member('m0') }), 'session'],
  ['session: the report names another', () => ({ sessionId: sessionId('s9') }), 'session'],
  ['runtime: the workload was replaced (T13)', (scene) => void scene.sandbox({ runtimeId: runtime('r1') }), 'runtime'],
  ['runtime: the report names another', () => ({ runtimeId: runtime('r1') }), 'runtime'],
  [
    'runtime: the session was opened for another life, whatever the report says',
    (scene) => {
      scene.sandbox({ runtimeId: runtime('r1') });
      return { runtimeId: runtime('r1') };
    },
    'runtime',
  ],
  ['credential: bumped', (scene) => void scene.credential(2n), 'credential'],
  ['credential: gone', (scene) => void scene.remove({ kind: 'credential', sandboxId: SANDBOX }), 'credential'],
  [
    'credential: the session on record was proved by another',
    (scene) => void scene.session('m0', 's0', { credentialEpoch: 9n as CredentialEpoch }),
    'credential',
  ],
  [
    'configuration: a newer one is declared',
    (scene) => {
      const older = scene.report();
      scene.config(2n);
      return older;
    },
    'configuration',
  ],
  ['configuration: the same revision with another content', () => ({ configHash: 'f'.repeat(64) }), 'configuration'],
  ['configuration: another revision with the same content', () => ({ configRevision: 9n as ConfigRevision }), 'configuration'],
  ['configuration: gone', (scene) => void scene.remove({ kind: 'config', sandboxId: SANDBOX }), 'configuration'],
  ['owner: fenced', (scene) => void scene.owner(fencing('m0', 8, 7)), 'owner'],
  ['owner: another', (scene) => void scene.owner(owned('m1', 7)), 'owner'],
  ['owner: only offered', (scene) => void scene.owner(offered('m0', 7)), 'owner'],
  ['owner: released', (scene) => void scene.owner(released(7)), 'owner'],
  ['owner: its own earlier tenure', (scene) => void scene.owner(owned('m0', 9)), 'owner'],
  ['owner: the report names an epoch that has not come', () => ({ ownerEpoch: epoch(8) }), 'owner'],
  ['owner: no record', (scene) => void scene.remove({ kind: 'owner', sandboxId: SANDBOX }), 'owner'],
  ['member: has left', (scene) => void scene.leave('m0'), 'member'],
  ['member: not ready', (scene) => void scene.member('m0', { ready: false }), 'member'],
  ['member: of another pool', (scene) => void scene.sandbox({ poolId: `${POOL}-2` as typeof POOL }), 'member'],
  ['ready: the process is not', () => ({ ready: false }), 'ready'],
  ['routes: one is missing', () => ({ routes: [] }), 'routes'],
  ['routes: one too many', () => ({ routes: [web, { ...web, host: 'other.apps.test' as Host }] }), 'routes'],
  ['routes: another port', () => ({ routes: [{ ...web, port: 8081 }] }), 'routes'],
  ['routes: another host', () => ({ routes: [{ ...web, host: 'other.apps.test' as Host }] }), 'routes'],
  ['routes: another service', () => ({ routes: [{ ...web, service: service('api', 1).service }] }), 'routes'],
  [
    'routes: one twice instead of both',
    (scene) => {
      scene.config(2n, [service('web', 8080), service('api', 2)]);
      return { ...scene.report(), routes: [web, web] };
    },
    'routes',
  ],
];

test('credential: what this gateway has proved the session by is not what is on record', () => {
  const scene = createScene();
  const judged = judgeReport(scene.world, { ...session, credentialEpoch: 9n as CredentialEpoch }, scene.report());
  expect(judged).toEqual({ ok: false, error: 'credential' });
});

test.each(rows)('%s', (_title, given, want) => {
  const scene = createScene();
  const changes = given(scene);
  const judged = judgeReport(scene.world, session, scene.report(changes));
  expect(judged.ok ? 'stands' : judged.error).toBe(want);
});

test('the first clause that fails is the one that is named: what is older explains more', () => {
  const scene = createScene();
  scene.sandbox({ runtimeId: runtime('r1') });
  scene.owner(owned('m1', 8));
  scene.config(2n);
  expect(judgeReport(scene.world, session, scene.report({ ready: false }))).toEqual({ ok: false, error: 'runtime' });
});

describe('the fence', () => {
  const fenceOf = (scene: Scene): FenceTuple => {
    const judged = judgeReport(scene.world, session, scene.report());
    if (!judged.ok) throw new Error(judged.error);
    return judged.value.fence;
  };

  test('is exactly the revisions that were judged', () => {
    const scene = createScene();
    const { world } = scene;
    expect(fenceOf(scene)).toEqual({
      generation: 'gen-1',
      owner: world.owners.get(SANDBOX)?.modRevision,
      session: world.session(SANDBOX, member('m0'))?.modRevision,
      sandbox: world.sandboxes.get(SANDBOX)?.modRevision,
      config: world.configs.get(SANDBOX)?.modRevision,
      credential: world.credentials.get(SANDBOX)?.modRevision,
      memberCreated: world.members(POOL).get(member('m0'))?.createRevision,
    });
  });

  test('differs as soon as any one of the judged records was written again, even with the same content', () => {
    const touch: Record<string, (scene: Scene) => void> = {
      generation: (scene) => void scene.generation('gen-2'),
      owner: (scene) => void scene.owner(owned('m0', 7)),
      session: (scene) => void scene.session('m0', 's0'),
      sandbox: (scene) => void scene.sandbox(),
      config: (scene) => void scene.config(1n),
      credential: (scene) => void scene.credential(1n),
      member: (scene) => {
        scene.leave('m0');
        scene.member('m0');
      },
    };
    for (const [name, act] of Object.entries(touch)) {
      const scene = createScene();
      const before = fenceOf(scene);
      act(scene);
      expect(sameFence(before, fenceOf(scene)), name).toBe(false);
    }
  });

  test('is the same while only the state of the member moves (T20), or what is not judged', () => {
    const scene = createScene();
    const before = fenceOf(scene);
    scene.member('m0', { draining: true });
    scene.member('m1', { draining: true });
    scene.gateway('g1');
    expect(sameFence(before, fenceOf(scene))).toBe(true);
  });

  test('two are the same iff every part is', () => {
    const tuple = fc.record({
      generation: fc.constantFrom('a', 'b').map((text) => text as Generation),
      ...Object.fromEntries(
        (['owner', 'session', 'sandbox', 'config', 'credential', 'memberCreated'] as const).map((part) => [
          part,
          fc.bigInt({ min: 1n, max: 2n }).map((value) => value as StoreRevision),
        ]),
      ),
    }) as fc.Arbitrary<FenceTuple>;
    const spelt = (fence: FenceTuple): string =>
      Object.entries(fence)
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join();
    fc.assert(
      fc.property(tuple, tuple, (a, b) => sameFence(a, b) === (spelt(a) === spelt(b))),
      { numRuns: 500 },
    );
  });
});
