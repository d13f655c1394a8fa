import { createStaticDriver, credentialHash, type Driver } from '@sallyport/driver';
import { until } from '@sallyport/kube/testing';
import { err, failure, fenced, ok, type Result } from '@sallyport/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, openInstallation } from '../testing/kube/installation.ts';

type Answer = Awaited<ReturnType<Driver['resolveSupervisorAppEndpoint']>>;
type Asked = Parameters<Driver['resolveSupervisorAppEndpoint']>[0];
const plain = (value: unknown): never => value as never;
const at = (asked: Asked, change: object): Result<never, never> =>
  ok(plain({ address: '127.0.0.1', port: asked.appPort, podUid: asked.supervisorUid, ...change })) as never;

/** What an extension may do to a question about a pool; each pool has a sandbox and a supervisor of its own. */
const FAULTS: readonly [pool: string, title: string, answer: (asked: Asked) => Promise<Answer> | Answer][] = [
  ['absent', 'is not there', () => err(failure('unsupported', 'this driver knows no endpoints'))],
  ['refuses', 'names none', () => err(fenced('endpoint', 'the Pod is not ready'))],
  ['stale', 'sees nothing itself', () => err(failure('not-ready', 'stale'))],
  [
    'throws',
    'breaks',
    () => {
      throw new Error('broken');
    },
  ],
  ['hangs', 'never answers', () => new Promise<Answer>(() => undefined)],
  ['no-address', 'names what is no address', (asked) => at(asked, { address: 'evil.example' })],
  ['bad-address', 'names half an address', (asked) => at(asked, { address: '127.0.0' })],
  ['no-port', 'names port 0', (asked) => at(asked, { port: 0 })],
  ['big-port', 'names a port that cannot be', (asked) => at(asked, { port: 70_000 })],
  ['other-port', "names another pool's port", (asked) => at(asked, { port: asked.appPort === 65_535 ? 1 : asked.appPort + 1 })],
  ['other-pod', 'names another Pod', (asked) => at(asked, { podUid: 'sup-honest' })],
];
const pools = ['honest', ...FAULTS.map(([pool]) => pool)];

const honest = false;
const asked = new Map<string, number>();
const known = createStaticDriver({
  workloads: pools.map((sandbox) => plain({ workspace: 'team', sandbox, runtimeId: `r-${sandbox}`, ready: true, services: [] })),
  supervisors: pools.map((pool) =>
    plain({ supervisorUid: `sup-${pool}`, poolId: pool, credentialHash: credentialHash(`token-${pool}`), address: '127.0.0.1' }),
  ),
});
const driver: Driver = {
  ...known,
  async resolveSupervisorAppEndpoint(question) {
    asked.set(question.poolId, (asked.get(question.poolId) ?? 0) + 1);
    const fault = honest ? undefined : FAULTS.find(([pool]) => pool === question.poolId);
    return fault === undefined ? known.resolveSupervisorAppEndpoint(question) : fault[2](question);
  },
};

let installation: Installation;
const served: string[] = [];
beforeAll(async () => {
  installation = await openInstallation(driver);
  for (const pool of pools) {
    expect(await installation.operator.register(pool, pool)).toMatchObject({ ok: true });
    expect(await installation.operator.expose(pool, 3_000)).toMatchObject({ ok: true });
  }
  const supervisors = await Promise.all(pools.map((pool) => installation.supervise(pool, `token-${pool}`)));
  await until(
    'every supervisor to be asked for, and the honest one to be published',
    () => pools.every((pool) => (asked.get(pool) ?? 0) > 0) && installation.published('honest') !== undefined,
  );
  served.push(...supervisors.flatMap((each) => each.servedHosts()));
});
afterAll(() => installation.close());

describe.each(FAULTS)('with an extension that (%s) %s', (pool) => {
  test('nothing is published', () => expect(installation.published(pool)).toBeUndefined());
  test('the workload can be looked at', async () =>
    expect(await installation.driver.get(pool)).toMatchObject({ value: { workload: { runtimeId: `r-${pool}` } } }));
  test('the supervisor has joined, and its sandbox is declared', () => {
    const { world } = installation;
    const id = world.names.get(`team/${pool}`)?.value;
    expect([...world.members(plain(pool))]).toHaveLength(1);
    expect(world.configs.get(plain(id))?.value.services).toHaveLength(1);
  });
});

test('meanwhile all workloads are listed and watched', async () => {
  expect(await installation.driver.list()).toMatchObject({ value: { workloads: { length: pools.length } } });
  const watch = installation.driver.watch();
  const heard: (string | undefined)[] = [];
  for await (const { event } of watch.received) {
    heard.push(event?.$case);
    if (event?.$case === 'synced') known.apply({ workloads: [], supervisors: [] });
    if (heard.filter((kind) => kind === 'removed').length === pools.length) break;
  }
  watch.fail(failure('not-ready', 'enough'));
  expect(heard).toEqual([...pools.map(() => 'upserted'), 'synced', ...pools.map(() => 'removed')]);
});
test('and the honest one stays published, with its own endpoint', () => {
  expect(installation.published('honest')).toMatch(/^127\.0\.0\.1:\d+ sup-honest$/);
});
