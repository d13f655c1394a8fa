import { POOL, runtime, SANDBOX, type Scene, service } from '@sallyport/authority/testing';
import { err, failure, type Generation, ok, type WorkspaceId } from '@sallyport/model';
import type { SigningKeys } from '@sallyport/wire';
import { expect, test } from 'vitest';
import { createDeclarations, type SandboxRef } from './declarations.ts';
import type { Driver } from './driver.ts';
import { createGenerations } from './generations.ts';
import { createGrants } from './grants.ts';
import { createRegistrations } from './registrations.ts';
import { compared, recordWrites, short } from './testing/recorded-writes.ts';

const REF = { workspace: 'team', sandbox: 'demo' } as SandboxRef;
const nothing = async () => err(failure('not-ready', 'not used'));
const DRIVER: Driver = { authenticate: nothing, endpoint: nothing, runtimeId: async () => ok('r1') };

/** Each write is refused once it is made, so that one try of each is seen. */
function open() {
  const stage = recordWrites();
  stage.outcome = { kind: 'unknown', message: 'no answer' };
  const { scene, writer } = stage;
  const { world } = scene;
  hold(scene, { kind: 'name', ...REF }, SANDBOX);
  const reached = (): Promise<void> => Promise.resolve();
  let ids = 0;
  const randomId = (): string => {
    ids += 1;
    return `new-${ids}`;
  };
  return {
    ...stage,
    declarations: createDeclarations({ world, reached, writer, domain: 'apps.test' }),
    registrations: createRegistrations({ world, reached, writer, driver: DRIVER, keys: {} as SigningKeys, randomId }),
    grants: createGrants({ world, reached, writer }),
    generations: createGenerations({ world, reached, writer, randomId, unixMs: () => 1_000 }),
  };
}

/** A record that the scene knows no word for. */
function hold({ world }: Scene, key: object, value: unknown): void {
  const revision = (world.revision + 1n) as typeof world.revision;
  world.apply([{ key, held: { value, createRevision: revision, modRevision: revision } } as never], revision);
}

type Opened = ReturnType<typeof open>;
type Row = [title: string, act: (opened: Opened) => Promise<unknown>, compares: (opened: Opened) => readonly string[]];
const revisionOf = (held: { readonly modRevision: bigint } | undefined): bigint | undefined => held?.modRevision;

const rows: Row[] = [
  [
    'a declaration compares the configuration that it changes, and the sandbox',
    ({ declarations }) => declarations.expose(REF, service('api', 9000)),
    ({ scene: { world } }) => [
      `config/sb unmoved-since ${revisionOf(world.configs.get(SANDBOX))}`,
      `sandbox/sb unmoved-since ${revisionOf(world.sandboxes.get(SANDBOX))}`,
    ],
  ],
  [
    'a registration, that the name is free',
    ({ registrations }) =>
      registrations.register({ ...REF, sandbox: 'other' as never }, { mode: 'shared', poolId: POOL, runtimeId: '' }),
    () => ['name/team/other absent'],
  ],
  [
    'another life of the workload, the sandbox',
    ({ registrations }) => registrations.register(REF, { mode: 'shared', poolId: POOL, runtimeId: runtime('r9') }),
    ({ scene: { world } }) => [`sandbox/sb unmoved-since ${revisionOf(world.sandboxes.get(SANDBOX))}`],
  ],
  [
    'a removal, the name: it may be another sandbox’s by now',
    ({ registrations }) => registrations.remove(REF),
    ({ scene: { world } }) => [`name/team/demo unmoved-since ${revisionOf(world.names.get('team/demo'))}`],
  ],
  [
    'the removal with its workload, also that no operator has declared anything',
    ({ scene, registrations }) => {
      const present = scene.config(3n, []);
      hold(scene, { kind: 'config', sandboxId: SANDBOX }, { ...present, followed: { registered: true, services: [] } });
      return registrations.removeFollowed(REF);
    },
    ({ scene: { world } }) => [
      `config/sb unmoved-since ${revisionOf(world.configs.get(SANDBOX))}`,
      `name/team/demo unmoved-since ${revisionOf(world.names.get('team/demo'))}`,
    ],
  ],
  [
    'a revocation, the credential: two of them raise it twice',
    ({ registrations }) => registrations.bumpCredential(REF),
    ({ scene: { world } }) => [`credential/sb unmoved-since ${revisionOf(world.credentials.get(SANDBOX))}`],
  ],
  ['a first grant, that there is none', ({ grants }) => grants.set('edge', ['team' as WorkspaceId]), () => ['grant/edge absent']],
  [
    'another grant, the one before',
    ({ scene, grants }) => {
      hold(scene, { kind: 'grant', principal: 'edge' }, { workspaces: [], grantEpoch: 1n });
      return grants.set('edge', ['team' as WorkspaceId]);
    },
    ({ scene: { world } }) => [`grant/edge unmoved-since ${revisionOf(world.grants.get('edge'))}`],
  ],
  [
    'a new generation, the one before',
    ({ generations }) => generations.begin(),
    ({ scene: { world } }) => [`meta/generation unmoved-since ${revisionOf(world.generation)}`],
  ],
  [
    'the first generation, that there is none',
    ({ scene, generations }) => {
      scene.remove({ kind: 'generation' });
      return generations.begin();
    },
    () => ['meta/generation absent'],
  ],
];

test.each(rows)('%s', async (_title, act, compares) => {
  const opened = open();
  await act(opened);
  expect(opened.writings.map(compared)).toEqual([[...compares(opened)].sort()]);
});

test('a generation raises configuration and credential of each sandbox, and compares both', async () => {
  const begins = recordWrites();
  const { world } = begins.scene;
  const writer: typeof begins.writer = {
    write: async (writing) => {
      const written = await begins.writer.write(writing);
      // As the store would have it: from then on nothing is left to raise.
      if (writing.puts.some(({ key }) => short(key) === 'config/sb')) {
        begins.scene.credential(5_000n);
        begins.scene.config(5_000n);
      }
      return written;
    },
  };
  const at = { config: revisionOf(world.configs.get(SANDBOX)), credential: revisionOf(world.credentials.get(SANDBOX)) };
  const begun = await createGenerations({
    ...{ world, writer, reached: () => Promise.resolve(), unixMs: () => 1_000 },
    randomId: () => 'gen-2',
  }).begin();
  expect(begun).toEqual(ok({ generation: 'gen-2' as Generation, sandboxCount: 1 }));
  expect(begins.writings.slice(1).map(compared)).toEqual([
    [`config/sb unmoved-since ${at.config}`, `credential/sb unmoved-since ${at.credential}`],
  ]);
});
