import type { Result } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import type { LivingWorkload as Workload, WorkloadEvent } from './driver.ts';
import { createStaticDriver, credentialHash, type StaticState } from './static-driver.ts';

const plain = (value: unknown): never => value as never;
const workload = (sandbox: string, change: Partial<Workload> = {}): Workload =>
  plain({ workspace: 'team', sandbox, runtimeId: `r-${sandbox}`, ready: true, services: [], ...change });
const state: StaticState = plain({
  workloads: [workload('demo')],
  supervisors: [{ supervisorUid: 'sup-1', poolId: 'p1', credentialHash: credentialHash('secret'), address: '127.0.0.1' }],
});
const kindOf = (result: Result<unknown, { kind: string }>): string => (result.ok ? 'ok' : result.error.kind);

describe('workloads', () => {
  const driver = createStaticDriver(state);
  test('one that is configured is found', () =>
    expect(driver.getSandbox(plain('team'), plain('demo'))).toEqual({ ok: true, value: workload('demo') }));
  test.each([
    ['team', 'other'],
    ['other', 'demo'],
    ['team/demo', ''],
  ])('%s/%s is not', (workspace, sandbox) => expect(kindOf(driver.getSandbox(plain(workspace), plain(sandbox)))).toBe('unknown'));
});

describe('a watcher hears what is there, then what changes', () => {
  const driver = createStaticDriver(state);
  const heard: string[] = [];
  const stop = driver.watchSandboxes((event: WorkloadEvent) =>
    heard.push(
      event.kind === 'synced' || event.kind === 'lost'
        ? 'synced'
        : `${event.kind} ${event.workload.sandbox} ${event.workload.runtimeId}`,
    ),
  );
  const steps: [title: string, workloads: Workload[], want: string[]][] = [
    ['at first', [workload('demo')], ['upserted demo r-demo', 'synced']],
    ['the same again: nothing', [workload('demo')], []],
    ['another life of one', [workload('demo', { runtimeId: plain('r2') })], ['upserted demo r2']],
    ['one more', [workload('demo', { runtimeId: plain('r2') }), workload('b')], ['upserted b r-b']],
    ['one less', [workload('b')], ['removed demo r2']],
    ['none', [], ['removed b r-b']],
  ];
  test.each(steps)('%s', (_title, workloads, want) => {
    driver.apply({ ...state, workloads });
    expect(heard.splice(0)).toEqual(want);
  });
  test('and nothing after it has stopped', () => {
    stop();
    driver.apply(state);
    expect(heard).toEqual([]);
  });
});

describe('supervisors', () => {
  const driver = createStaticDriver(state);
  test('one that is configured is proven, never exclusively', async () => {
    expect(await driver.authenticateSupervisor('secret')).toEqual({
      ok: true,
      value: { supervisorUid: 'sup-1', poolId: 'p1', exclusive: false },
    });
  });
  test.each(['', 'Secret', 'secret ', credentialHash('secret')])('%j proves nobody', async (credential) => {
    expect(kindOf(await driver.authenticateSupervisor(credential))).toBe('unauthenticated');
  });

  const question = { poolId: 'p1', memberId: 'm1', supervisorUid: 'sup-1', appPort: 8443 };
  test('has an endpoint at its configured address', async () => {
    expect(await driver.resolveSupervisorAppEndpoint(plain(question))).toEqual({
      ok: true,
      value: { address: '127.0.0.1', port: 8443, podUid: 'sup-1' },
    });
  });
  test.each([
    ['a supervisor that nobody configured', { supervisorUid: 'sup-2' }],
    ['a supervisor of another pool', { poolId: 'p2' }],
    ['a listener that is off', { appPort: 0 }],
  ])('%s has none', async (_title, change) => {
    expect(await driver.resolveSupervisorAppEndpoint(plain({ ...question, ...change }))).toMatchObject({
      ok: false,
      error: { kind: 'fenced', clause: 'endpoint' },
    });
  });
  test('one that was taken out is proven no more', async () => {
    const other = createStaticDriver(state);
    other.apply({ workloads: [], supervisors: [] });
    expect(kindOf(await other.authenticateSupervisor('secret'))).toBe('unauthenticated');
    expect(kindOf(await other.resolveSupervisorAppEndpoint(plain(question)))).toBe('fenced');
  });
});
