import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { createReplicas } from './testing/replicas.ts';

/** One gateway, and a driver that says what a test wants it to say about the boundary of a runtime. */
async function open() {
  const stage = createReplicas();
  let runtimeId = 'r1';
  let boundary: Result<string | undefined, Failure> = ok(undefined);
  const asked: string[] = [];
  const nothing = async () => err(failure('not-ready', 'not used'));
  const { registrations, world } = await stage.start({
    authenticate: nothing,
    endpoint: nothing,
    runtimeId: async () => ok(runtimeId),
    async boundary(_workspace, _sandbox, of) {
      asked.push(of);
      return boundary;
    },
  });
  const ref = { workspace: 'team', sandbox: 'demo' } as never;
  return {
    asked,
    says(at: Result<string | undefined, Failure>, life = runtimeId): void {
      boundary = at;
      runtimeId = life;
    },
    register: (changes: object = {}) =>
      stage.settle(registrations.register(ref, { mode: 'shared', poolId: 'blue', runtimeId: '', ...changes })),
    boundary: () => world.sandboxes.get(world.names.get('team/demo')?.value as never)?.value.boundaryAddress,
  };
}

describe('where the boundary of a sandbox is', () => {
  test('is put on record with its runtime', async () => {
    const { says, register, boundary, asked } = await open();
    says(ok('demo:9443'));
    expect((await register()).ok).toBe(true);
    expect([boundary(), asked]).toEqual(['demo:9443', ['r1']]);
  });
  test('moves with it', async () => {
    const { says, register, boundary } = await open();
    says(ok('demo:9443'));
    await register();
    says(ok('demo:9555'));
    await register();
    expect(boundary()).toBe('demo:9555');
  });
  test('is another one, or none, for another life of the workload', async () => {
    const { says, register, boundary } = await open();
    says(ok('demo:9443'));
    await register();
    says(ok(undefined), 'r2');
    await register();
    expect(boundary()).toBeUndefined();
    says(ok('demo:9666'), 'r3');
    await register();
    expect(boundary()).toBe('demo:9666');
  });
  test('is found once the workload has a place', async () => {
    const { says, register, boundary } = await open();
    says(ok('unplaced.invalid:9443'));
    await register({ followed: true });
    says(ok('10.0.0.7:9443'));
    await register({ followed: true });
    expect(boundary()).toBe('10.0.0.7:9443');
  });
  test('is not asked for again and again for a workload that declares itself', async () => {
    const { says, register, asked } = await open();
    says(ok('demo:9443'));
    await register({ followed: true });
    await register({ followed: true });
    expect(asked).toEqual(['r1']);
  });
});

describe('within one life of the workload', () => {
  test('no boundary appears: its owner goes around it', async () => {
    const { says, register, boundary } = await open();
    await register();
    says(ok('demo:9443'));
    expect((await register()).ok).toBe(true);
    expect(boundary()).toBeUndefined();
  });
  test('none vanishes either', async () => {
    const { says, register, boundary } = await open();
    says(ok('demo:9443'));
    await register();
    says(ok(undefined));
    expect((await register()).ok).toBe(true);
    expect(boundary()).toBe('demo:9443');
  });
});

test('a driver that does not say leaves the sandbox unregistered: whether there is a boundary may not change later', async () => {
  const { says, register, boundary } = await open();
  says(err(failure('not-ready', 'away')));
  expect(await register({ runtimeId: 'r1' })).toMatchObject({ error: { kind: 'not-ready' } });
  expect(boundary()).toBeUndefined();
});
