import { DEFAULT_POLICY } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { createReplicas } from './testing/replicas.ts';
import { createWorkloadStreams, workloadOf } from './testing/workload-streams.ts';
import { FORGET_MS, followWorkloads } from './workloads.ts';

const demo = { workspace: 'team', sandbox: 'demo' } as never;
const plain = (value: unknown): never => value as never;
const expose = (service: string, port: number) => [demo, { service: plain(service), port, policy: DEFAULT_POLICY }] as const;

/** As many gateways as are wanted, all of which follow one driver. */
async function open({ gateways = 1, defaultPool = undefined as string | undefined } = {}) {
  const stage = createReplicas();
  const driver = createWorkloadStreams();
  const follow = (node: Awaited<ReturnType<typeof stage.start>>) => {
    const { world, declarations, registrations } = node;
    const options = { watch: driver.watch, world, declarations, registrations, defaultPool: plain(defaultPool) };
    return { ...node, followed: followWorkloads({ ...options, clock: stage.clock, log: stage.log, random: () => 0.5 }) };
  };
  const nodes: ReturnType<typeof follow>[] = [];
  for (let n = 0; n < gateways; n += 1) nodes.push(follow(await stage.start()));
  const [first] = nodes as [(typeof nodes)[number]];
  const { world } = first;
  const idOf = (name: string) => world.names.get(name)?.value;
  return {
    ...stage,
    driver,
    nodes,
    ...first,
    idOf,
    sandbox: (name = 'team/demo') => world.sandboxes.get(plain(idOf(name)))?.value,
    services: (name = 'team/demo') =>
      world.configs.get(plain(idOf(name)))?.value.services.map(({ service, port }) => `${service}:${port}`),
    revision: () => stage.store.revision(),
    /** Everything that was told is on record. */
    quiet: async () => {
      await stage.clock.advanceAsync(20);
      await stage.until('quiet', () => nodes.every(({ followed }) => followed.settled()));
    },
  };
}

describe('what a workload declares', () => {
  test('is registered and declared', async () => {
    const { driver, quiet, sandbox, services } = await open();
    driver.put('team/demo', { services: 'web=80,api=90', mode: 'shared', pool: 'blue' });
    await quiet();
    expect(sandbox()).toMatchObject({ mode: 'shared', poolId: 'blue', runtimeId: 'r1' });
    expect(services()).toEqual(['api:90', 'web:80']);
  });
  const places: [title: string, shape: object, defaultPool: string | undefined, want: object][] = [
    ['a pool that is named', { pool: 'red' }, 'blue', { mode: 'shared', poolId: 'red' }],
    ['the default pool', {}, 'blue', { mode: 'shared', poolId: 'blue' }],
    [
      'a supervisor of its own, where it asks for one',
      { mode: 'dedicated' },
      'blue',
      { mode: 'dedicated', poolId: 'dedicated:team:demo' },
    ],
    ['a supervisor of its own, where there is no pool', {}, undefined, { mode: 'dedicated', poolId: 'dedicated:team:demo' }],
    [
      'a supervisor of its own, where it asks to share but no pool is known',
      { mode: 'shared' },
      undefined,
      { mode: 'dedicated' },
    ],
  ];
  test.each(places)('is served by %s', async (_title, shape, defaultPool, want) => {
    const { driver, quiet, sandbox } = await open({ defaultPool });
    driver.put('team/demo', shape);
    await quiet();
    expect(sandbox()).toMatchObject(want);
  });

  type Scene = Awaited<ReturnType<typeof open>>;
  const changes: [
    title: string,
    act: (scene: Scene) => unknown,
    services: string[] | undefined,
    runtimeId: string | undefined,
  ][] = [
    ['another port', ({ driver }) => driver.put('team/demo', { services: 'web=81' }), ['web:81'], 'r1'],
    ['one service less, one more', ({ driver }) => driver.put('team/demo', { services: 'api=90' }), ['api:90'], 'r1'],
    ['another life', ({ driver }) => driver.put('team/demo', { runtimeId: 'r2' }), ['web:80'], 'r2'],
    ['the workload goes: what it declared goes', ({ driver }) => driver.remove('team/demo'), [], 'r1'],
    [
      'several claim the name: nothing is served, and the life stays',
      ({ driver }) => driver.put('team/demo', { runtimeId: '', services: '' }),
      [],
      'r1',
    ],
    [
      'another workload that cannot be read',
      ({ driver }) => driver.raw({ $case: 'upserted', value: workloadOf('team/De--mo', {}) }),
      ['web:80'],
      'r1',
    ],
    [
      'the same that cannot be read',
      ({ driver }) => driver.raw({ $case: 'upserted', value: workloadOf('team/demo', { services: 'web=0' }) }),
      ['web:80'],
      'r1',
    ],
    ['an event of nothing', ({ driver }) => driver.raw(undefined), ['web:80'], 'r1'],
    [
      'a removal of one that never was',
      ({ driver }) => driver.raw({ $case: 'removed', value: { workspace: 'team', sandbox: 'x', runtimeId: 'y' } }),
      ['web:80'],
      'r1',
    ],
    ['the driver is away', ({ driver }) => driver.away(), ['web:80'], 'r1'],
    ['the driver is away and has forgotten everything', ({ driver }) => driver.away(true), ['web:80'], 'r1'],
  ];
  test.each(changes)('follows: %s', async (_title, act, services, runtimeId) => {
    const scene = await open();
    scene.driver.put('team/demo');
    await scene.quiet();
    const id = scene.idOf('team/demo');
    act(scene);
    await scene.clock.advanceAsync(5_000);
    expect([scene.services(), scene.sandbox()?.runtimeId, scene.idOf('team/demo')]).toEqual([services, runtimeId, id]);
  });

  test('is the same sandbox when its workload comes back, and is forgotten when it does not', async () => {
    const { driver, quiet, idOf, clock, services, sandbox } = await open();
    driver.put('team/demo');
    await quiet();
    const id = idOf('team/demo');
    driver.remove('team/demo');
    await clock.advanceAsync(FORGET_MS / 2);
    driver.put('team/demo', { runtimeId: 'r2' });
    await quiet();
    expect([idOf('team/demo'), sandbox()?.runtimeId, services()]).toEqual([id, 'r2', ['web:80']]);
    driver.remove('team/demo');
    await clock.advanceAsync(FORGET_MS - 60_000);
    expect(idOf('team/demo')).toBe(id);
    await clock.advanceAsync(180_000);
    expect(idOf('team/demo')).toBeUndefined();
  });
  test('moves to another pool as another sandbox', async () => {
    const { driver, quiet, idOf, sandbox } = await open();
    driver.put('team/demo', { pool: 'blue' });
    await quiet();
    const id = idOf('team/demo');
    driver.put('team/demo', { pool: 'red' });
    await quiet();
    expect(sandbox()).toMatchObject({ poolId: 'red' });
    expect(idOf('team/demo')).not.toBe(id);
  });
});

describe('a driver that was away', () => {
  test('and has not seen everything yet changes nothing', async () => {
    const { driver, quiet, clock, services } = await open();
    driver.put('team/demo');
    await quiet();
    driver.away(true);
    driver.back({ synced: false });
    await clock.advanceAsync(30_000);
    driver.put('team/demo', { services: 'web=81' });
    driver.put('team/other');
    await clock.advanceAsync(5_000);
    expect([driver.count, services(), services('team/other')]).toEqual([1, ['web:80'], undefined]);
  });
  test('takes away what is gone when it has', async () => {
    const { driver, quiet, clock, services } = await open();
    driver.put('team/demo');
    await quiet();
    driver.away(true);
    await clock.advanceAsync(30_000);
    driver.back();
    await clock.advanceAsync(30_000);
    expect(services()).toEqual([]);
  });
  test('for longer than a sandbox is waited for does not make it forgotten', async () => {
    const { driver, quiet, clock, idOf } = await open();
    driver.put('team/demo');
    await quiet();
    driver.remove('team/demo');
    await clock.advanceAsync(60_000);
    driver.away();
    await clock.advanceAsync(2 * FORGET_MS);
    driver.back();
    await clock.advanceAsync(30_000);
    expect(idOf('team/demo')).toBeDefined();
  });
});

describe('what an operator declared', () => {
  test('stays when the workload goes, and its sandbox with it', async () => {
    const { driver, quiet, declarations, settle, services, clock } = await open();
    driver.put('team/demo');
    await quiet();
    await settle(declarations.expose(...expose('admin', 99)));
    driver.remove('team/demo');
    await clock.advanceAsync(2 * FORGET_MS);
    expect(services()).toEqual(['admin:99']);
  });
  test('wins over the workload, and stays', async () => {
    const { driver, quiet, declarations, settle, services, clock } = await open();
    driver.put('team/demo');
    await quiet();
    await settle(declarations.expose(...expose('web', 99)));
    driver.put('team/demo', { services: 'web=81,api=90' });
    await quiet();
    expect(services()).toEqual(['api:90', 'web:99']);
    driver.remove('team/demo');
    await clock.advanceAsync(FORGET_MS);
    expect(services()).toEqual(['web:99']);
  });
  test('of the very same content is the operator’s from then on', async () => {
    const { driver, quiet, declarations, settle, services } = await open();
    driver.put('team/demo');
    await quiet();
    const before = await settle(declarations.expose(...expose('web', 80)));
    driver.remove('team/demo');
    await quiet();
    expect(services()).toEqual(['web:80']);
    expect(before).toMatchObject({ value: { revision: 2n } });
  });
  test('keeps a sandbox that an operator registered, in its pool, and gives it its life', async () => {
    const { driver, quiet, registrations, settle, services, sandbox, clock } = await open();
    await settle(registrations.register(demo, { mode: 'shared', poolId: 'blue', runtimeId: 'r0' }));
    driver.put('team/demo', { pool: 'red', runtimeId: 'r7' });
    await quiet();
    expect([sandbox(), services()]).toMatchObject([{ poolId: 'blue', runtimeId: 'r7' }, ['web:80']]);
    driver.remove('team/demo');
    await clock.advanceAsync(2 * FORGET_MS);
    expect([sandbox(), services()]).toMatchObject([{ poolId: 'blue' }, []]);
  });
  test('keeps the pool of a sandbox whose workload asks for another', async () => {
    const { driver, quiet, declarations, settle, sandbox, clock, services } = await open();
    driver.put('team/demo', { pool: 'blue' });
    await quiet();
    await settle(declarations.expose(...expose('admin', 99)));
    driver.put('team/demo', { pool: 'red' });
    await clock.advanceAsync(5_000);
    expect([sandbox(), services()]).toMatchObject([{ poolId: 'blue' }, ['admin:99', 'web:80']]);
  });
});

describe('what is wrong with it', () => {
  const all = (): boolean => true;
  const told = ({ followed }: Awaited<ReturnType<typeof open>>): string[] =>
    followed.problems.shown(all).problems.map(({ workspace, sandbox, problem }) => `${workspace}/${sandbox}: ${problem}`);

  test('is shown while it is so, beside what is served of it', async () => {
    const scene = await open();
    scene.driver.put('team/demo', { services: 'web=80', problem: 'api=none is no port' });
    scene.driver.put('team/calm', { services: 'web=80' });
    await scene.quiet();
    expect([told(scene), scene.services(), scene.services('team/calm')]).toEqual([
      ['team/demo: api=none is no port'],
      ['web:80'],
      ['web:80'],
    ]);
    await scene.clock.advanceAsync(130_000);
    expect(told(scene)).toEqual(['team/demo: api=none is no port']);
    scene.driver.put('team/demo', { services: 'web=80' });
    await scene.quiet();
    expect(told(scene)).toEqual([]);
  });
  test('is shown of a name that several claim, and not of one whose workload is gone', async () => {
    const scene = await open();
    scene.driver.put('team/demo', { runtimeId: '', problem: '2 Pods claim team/demo' });
    await scene.quiet();
    expect(told(scene)).toEqual(['team/demo: 2 Pods claim team/demo']);
    scene.driver.remove('team/demo');
    await scene.quiet();
    expect(told(scene)).toEqual([]);
  });
  test('that the gateway refuses itself is shown too, and no more once it takes it', async () => {
    const scene = await open();
    scene.driver.put('team/demo', { services: 'web=80', pool: 'blue' });
    await scene.quiet();
    await scene.settle(scene.declarations.expose(...expose('admin', 99)));
    scene.driver.put('team/demo', { services: 'web=80', pool: 'red' });
    await scene.clock.advanceAsync(5_000);
    expect(told(scene)).toEqual([expect.stringMatching(/^team\/demo: it asks for another pool/)]);
    scene.driver.put('team/demo', { services: 'web=80', pool: 'blue' });
    await scene.clock.advanceAsync(5_000);
    expect(told(scene)).toEqual([]);
  });
  test('is forgotten of what a driver that was away tells of no more', async () => {
    const scene = await open();
    scene.driver.put('team/demo', { problem: 'x' });
    await scene.quiet();
    scene.driver.away(true);
    await scene.clock.advanceAsync(1_000);
    expect(told(scene)).toEqual(['team/demo: x']);
    scene.driver.back();
    await scene.clock.advanceAsync(10_000);
    expect(told(scene)).toEqual([]);
  });
});

describe('several replicas at once', () => {
  test('agree, and write nothing twice', async () => {
    const { driver, nodes, quiet, services, sandbox, world } = await open({ gateways: 3 });
    for (let n = 0; n < 20; n += 1) driver.put(`team/box${n}`, { services: 'web=80', pool: 'blue' });
    driver.put('team/demo', { pool: 'blue' });
    await quiet();
    driver.put('team/demo', { runtimeId: 'r2', services: 'web=81', pool: 'blue' });
    await quiet();
    expect([services(), sandbox()?.runtimeId, world.sandboxes.size]).toEqual([['web:81'], 'r2', 21]);
    // Registered, then declared: revision 2, then 3. A second writer would have gone further.
    expect([...world.configs.values()].map(({ value }) => value.revision).sort((a, b) => Number(a - b))).toEqual([
      ...Array(20).fill(2n),
      3n,
    ]);
    expect(nodes.every((node) => node.world.sandboxes.size === 21)).toBe(true);
  });
  test('write nothing where nothing differs', async () => {
    const { driver, quiet, clock, world } = await open({ gateways: 2 });
    driver.put('team/demo');
    await quiet();
    const before = [...world.configs.values(), ...world.sandboxes.values()].map(({ modRevision }) => modRevision);
    driver.put('team/demo');
    await clock.advanceAsync(130_000);
    expect([...world.configs.values(), ...world.sandboxes.values()].map(({ modRevision }) => modRevision)).toEqual(before);
  });
  test('mend what somebody deleted meanwhile', async () => {
    const { driver, quiet, clock, registrations, settle, services } = await open({ gateways: 2 });
    driver.put('team/demo');
    await quiet();
    await settle(registrations.remove(demo));
    await clock.advanceAsync(61_000);
    await quiet();
    expect(services()).toEqual(['web:80']);
  });
});
