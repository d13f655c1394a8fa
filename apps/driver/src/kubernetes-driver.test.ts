import { STALE_MS } from '@sallyport/kube';
import {
  DRIVER_RULES,
  DRIVER_USER,
  declares,
  isList,
  isReview,
  isWatch,
  type PodShape,
  putPod,
  putSlice,
  REVIEW_RULES,
  status,
  until,
} from '@sallyport/kube/testing';
import { later, type RuntimeId } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { afterEach, describe, expect, test } from 'vitest';
import type { WorkloadEvent } from './driver.ts';
import type { KubernetesDriver } from './kubernetes-driver.ts';
import { type KubeStage, openKubeStage } from './testing/kube-stage.ts';

let stage: KubeStage;
afterEach(() => stage.close());

const demo = ['team', 'demo'] as never as [never, never];
const kind = (answer: { ok: true } | { ok: false; error: { kind: string } }) => (answer.ok ? 'ok' : answer.error.kind);
const supervisor: PodShape = {
  namespace: 'sallyport',
  serviceAccount: 'supervisor',
  labels: { pool: 'blue' },
  ips: ['10.0.0.7'],
};
const question = (uid: string, port = 8443) => ({ poolId: 'blue', memberId: 'm1', supervisorUid: uid, appPort: port }) as never;

const compare = (a: string, b: string): number => (a < b ? -1 : 1);

/** What a watcher of the driver hears, as `kind sandbox`. */
function listen(driver: KubernetesDriver) {
  const heard: WorkloadEvent[] = [];
  const stop = driver.watchSandboxes((event) => heard.push(event));
  return {
    heard,
    stop,
    said: () => heard.map((event) => ('workload' in event ? `${event.kind} ${event.workload.sandbox}` : event.kind)),
  };
}

test('label a Pod: it is a workload, with its services; change it, and it follows', async () => {
  stage = await openKubeStage();
  const driver = await stage.driver();
  const { heard, said } = listen(driver);
  await until('the first list', () => said().includes('synced'));
  expect(said()).toEqual(['synced']);
  const made = putPod(stage.api.store, 'box', { ...declares('team/demo'), ready: false });
  await until('the Pod', () => heard.length === 2);
  putPod(stage.api.store, 'box', declares('team/demo', 'web=8080,api=9000', { origin: 'strip', mode: 'dedicated' }));
  await until('its change', () => heard.length === 3);
  stage.api.store.remove('pods', 'default', 'box');
  await until('its end', () => heard.length === 4);
  expect(heard.slice(1)).toMatchObject([
    { kind: 'upserted', workload: { runtimeId: made.metadata.uid, ready: false, services: [{ service: 'web', port: 8080 }] } },
    {
      kind: 'upserted',
      workload: {
        ready: true,
        mode: 'dedicated',
        dedicatedPoolId: 'dedicated:team:demo',
        services: [{ policy: { origin: 'strip' } }, { service: 'api' }],
      },
    },
    { kind: 'removed', workload: { runtimeId: made.metadata.uid } },
  ]);
});

test('a bad annotation becomes an Event on its Pod, once, and disturbs no other', async () => {
  stage = await openKubeStage();
  putPod(stage.api.store, 'good', declares('team/demo'));
  const driver = await stage.driver();
  const { said } = listen(driver);
  await until('the first list', () => said().includes('synced'));
  const events = () =>
    stage.api.store.list('events', undefined) as unknown as { message: string; involvedObject: { name: string } }[];
  putPod(stage.api.store, 'bad', declares('team/bad', 'web=http'));
  await until('the Event', () => events().length === 1);
  putPod(stage.api.store, 'bad', { ...declares('team/bad', 'web=http'), ips: ['10.0.0.3'] });
  putPod(stage.api.store, 'copy', declares('team/demo'));
  await until('the Events of two that claim one name', () => events().length === 3);
  expect(
    events()
      .map(({ message, involvedObject }) => `${involvedObject.name}: ${message}`)
      .sort(compare),
  ).toEqual([
    expect.stringMatching(/^bad: .*not name=port/),
    expect.stringMatching(/^copy: 2 Pods claim team\/demo/),
    expect.stringMatching(/^good: 2 Pods claim team\/demo/),
  ]);
  expect(driver.getSandbox(...demo)).toMatchObject({
    ok: false,
    error: { kind: 'fenced', message: expect.stringMatching(/default\/copy, default\/good/) },
  });
  expect(kind(driver.listSandboxes())).toBe('ok');
});

test('a Sandbox’s Pod is named by its owner, and keeps the name through its lives', async () => {
  stage = await openKubeStage();
  const shape: PodShape = { labels: { workspace: 'team' }, annotations: { services: '80' }, owner: 'demo' };
  const first = putPod(stage.api.store, 'demo', shape);
  const driver = await stage.driver();
  const { said, heard } = listen(driver);
  await until('the first list', () => said().includes('synced'));
  const second = putPod(stage.api.store, 'demo', { ...shape, uid: 'second' });
  await until('the second life', () => heard.length >= 4);
  expect([first, second].map(({ metadata }) => metadata.uid as RuntimeId)).toEqual(
    heard.filter((event) => event.kind === 'upserted').map((event) => event.workload.runtimeId),
  );
});

describe('an endpoint', () => {
  test('is given, and withdrawn as the Pod says; never by its name', async () => {
    stage = await openKubeStage();
    const uid = putPod(stage.api.store, 'sup', supervisor).metadata.uid;
    const driver = await stage.driver();
    await until('the first list', () => driver.pods.complete());
    const ask = () => driver.resolveSupervisorAppEndpoint(question(uid));
    expect(await ask()).toEqual({ ok: true, value: { address: '10.0.0.7', port: 8443, podUid: uid } });
    putPod(stage.api.store, 'sup', { ...supervisor, uid: 'another' });
    await until('the other life', () => driver.pods.counts().events >= 2);
    expect(await ask()).toMatchObject({ error: { kind: 'fenced' } });
    expect(await driver.resolveSupervisorAppEndpoint(question('another'))).toMatchObject({ ok: true });
  });
  test('is refused when the Pod itself says otherwise than the watch', async () => {
    stage = await openKubeStage();
    const uid = putPod(stage.api.store, 'sup', supervisor).metadata.uid;
    const driver = await stage.driver();
    await until('the watch', () => stage.api.watches.count === 1);
    stage.api.watches.lose(() => true);
    putPod(stage.api.store, 'sup', { ...supervisor, uid: 'another' });
    expect(await driver.resolveSupervisorAppEndpoint(question(uid))).toMatchObject({
      error: { kind: 'fenced', message: expect.stringMatching(/is gone/) },
    });
  });
  test('comes from the EndpointSlice, where the Pod asks for that', async () => {
    stage = await openKubeStage();
    const uid = putPod(stage.api.store, 'sup', { ...supervisor, annotations: { service: 'front' } }).metadata.uid;
    const driver = await stage.driver({ endpointSlices: true });
    await until('both lists', () => stage.api.watches.count === 2);
    expect(await driver.resolveSupervisorAppEndpoint(question(uid))).toMatchObject({
      error: { message: expect.stringMatching(/no EndpointSlice/) },
    });
    putSlice(stage.api.store, 'front-1', {
      namespace: 'sallyport',
      service: 'front',
      port: 8443,
      endpoints: [{ ips: ['10.0.0.7'], uid }],
    });
    await until('the slice', () => stage.api.requests.length > 0 && driver.pods.complete());
    await expect
      .poll(() => driver.resolveSupervisorAppEndpoint(question(uid)))
      .toMatchObject({ ok: true, value: { address: '10.0.0.7' } });
  });
});

describe('a supervisor', () => {
  const start = async (shape: PodShape = {}) => {
    stage = await openKubeStage();
    const { metadata } = putPod(stage.api.store, 'sup', { ...supervisor, ...shape });
    const token = stage.api.tokens.issue({
      namespace: 'sallyport',
      serviceAccount: shape.serviceAccount ?? 'supervisor',
      pod: { name: 'sup', uid: metadata.uid },
      audiences: ['sallyport-gateway'],
    });
    const driver = await stage.driver();
    await until('the first list', () => driver.pods.complete());
    return { driver, token, uid: metadata.uid };
  };
  test('is proven by the token of its Pod', async () => {
    const { driver, token, uid } = await start();
    expect(await driver.authenticateSupervisor(token)).toEqual({
      ok: true,
      value: { supervisorUid: uid, poolId: 'blue', exclusive: false },
    });
  });
  test('is proven exclusively when its container runs again', async () => {
    const { driver, token } = await start({ containers: [{ name: 'main', restarts: 1 }] });
    expect(await driver.authenticateSupervisor(token)).toMatchObject({ value: { exclusive: true } });
  });
  test('is not proven by the account of a workload', async () => {
    const { driver, token } = await start({ serviceAccount: 'app' });
    expect(kind(await driver.authenticateSupervisor(token))).toBe('unauthenticated');
  });
  test('is proven no more once its Pod is gone, though its token was taken a moment ago', async () => {
    const { driver, token } = await start();
    await driver.authenticateSupervisor(token);
    stage.api.store.remove('pods', 'sallyport', 'sup');
    await until('its end', () => driver.podCount() === 0);
    expect(kind(await driver.authenticateSupervisor(token))).toBe('not-ready');
  });
  test.each([
    ['a server that fails', status(500, 'InternalError', 'x')],
    ['a role that does not let us ask', status(403, 'Forbidden', 'x')],
  ])('waits for %s', async (_title, refusal) => {
    const { driver, token } = await start();
    stage.api.faults.on(isReview, { kind: 'status', status: refusal });
    expect(kind(await driver.authenticateSupervisor(token))).toBe('not-ready');
  });
});

describe('its view', () => {
  test('is none before the first list: nothing is said to be gone', async () => {
    stage = await openKubeStage();
    stage.api.faults.on(isList, { kind: 'status', status: status(500, 'InternalError', 'x') }, 1_000);
    const driver = await stage.driver();
    const { heard } = listen(driver);
    await until('a try', () => driver.pods.counts().lists > 0);
    expect([
      kind(driver.getSandbox(...demo)),
      kind(driver.listSandboxes()),
      kind(await driver.resolveSupervisorAppEndpoint(question('x'))),
    ]).toEqual(Array(3).fill('not-ready'));
    expect(heard).toEqual([]);
  });
  test('that grows stale resolves nothing and ends watches, while what it saw can be read; and recovers', async () => {
    stage = await openKubeStage();
    putPod(stage.api.store, 'box', declares('team/demo'));
    const uid = putPod(stage.api.store, 'sup', supervisor).metadata.uid;
    const clock = createManualClock();
    const driver = await stage.driver({}, { clock });
    await until('the watch', () => stage.api.watches.count === 1);
    const { said } = listen(driver);
    expect(said()).toEqual(['upserted demo', 'synced']);
    stage.api.faults.on(isWatch, { kind: 'reset' }, 1_000);
    stage.api.watches.break();
    await until('the break', () => stage.api.watches.count === 0);
    const end = later(clock.now(), STALE_MS + 2_000);
    while (clock.now() < end) await clock.advanceAsync(500);
    expect(said().at(-1)).toBe('lost');
    expect(kind(await driver.resolveSupervisorAppEndpoint(question(uid)))).toBe('not-ready');
    expect(driver.getSandbox(...demo)).toMatchObject({ ok: true });
    const again = listen(driver);
    expect(again.said()).toEqual([]);
    stage.api.faults.clear();
    while (again.heard.length === 0) {
      await clock.advanceAsync(1_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(again.said()).toEqual(['upserted demo', 'synced']);
    expect(await driver.resolveSupervisorAppEndpoint(question(uid))).toMatchObject({ ok: true });
  });
  test('is listed once for each cursor that was lost and each start, whatever else happens', async () => {
    stage = await openKubeStage();
    const driver = await stage.driver({ checkEveryMs: 10_000 }, { random: () => 0 });
    for (let round = 0; round < 3; round += 1) {
      await until('the watch', () => stage.api.watches.count === 1);
      putPod(stage.api.store, `p${round}`);
      await until('the Pod', () => driver.podCount() === round + 1);
      // A break alone costs no list.
      stage.api.watches.break();
      await until('the next watch', () => stage.api.watches.count === 1);
      stage.api.store.compact();
      stage.api.watches.fail(410, 'Expired');
      await until('the list', () => driver.pods.counts().lists === round + 2);
    }
    await until('the last watch', () => stage.api.watches.count === 1);
    const { lists, checks } = driver.pods.counts();
    const seen = stage.api.requests.filter((request) => request.startsWith('GET /api/v1/pods?limit')).length;
    expect(lists).toBe(1 + 3);
    expect(seen).toBe(lists + checks);
  });
});

test('it needs the role that it is given, and nothing more', async () => {
  stage = await openKubeStage();
  const pod = putPod(stage.api.store, 'sup', supervisor);
  putPod(stage.api.store, 'bad', declares('team/bad', 'x'));
  const token = stage.api.tokens.issue({
    namespace: 'sallyport',
    serviceAccount: 'supervisor',
    pod: { name: 'sup', uid: pod.metadata.uid },
    audiences: ['sallyport-gateway'],
  });
  const driver = await stage.driver({ endpointSlices: true });
  await until('both watches', () => stage.api.watches.count === 2);
  await driver.authenticateSupervisor(token);
  await driver.resolveSupervisorAppEndpoint(question(pod.metadata.uid));
  await until('the Event', () => stage.api.store.list('events', undefined).length === 1);
  expect(stage.api.rbac.refused(DRIVER_USER)).toEqual([]);
  expect(stage.api.rbac.unused(DRIVER_USER)).toEqual([]);
});
test.each([
  ['pods', DRIVER_RULES.slice(1)],
  ['tokenreviews', DRIVER_RULES],
  ['endpointslices', [...DRIVER_RULES, ...REVIEW_RULES]],
])('and without the right to %s something is refused', async (resource, rules) => {
  stage = await openKubeStage();
  stage.api.rbac.grant(DRIVER_USER, [{ rules }]);
  const driver = await stage.driver({ endpointSlices: true });
  await driver.authenticateSupervisor('x');
  await until('a refusal', () => stage.api.rbac.refused(DRIVER_USER).some((what) => what.endsWith(`/${resource}`)));
});
test('in two namespaces with a role in each, it sees those and no others', async () => {
  stage = await openKubeStage();
  stage.api.rbac.grant(
    DRIVER_USER,
    ['one', 'two'].map((namespace) => ({ namespace, rules: DRIVER_RULES })),
  );
  putPod(stage.api.store, 'a', { namespace: 'one' });
  putPod(stage.api.store, 'b', { namespace: 'two' });
  putPod(stage.api.store, 'c', { namespace: 'three' });
  const driver = await stage.driver({ namespaces: ['one', 'two'] });
  await until('both lists', () => driver.pods.complete());
  expect([driver.podCount(), stage.api.rbac.refused(DRIVER_USER)]).toEqual([2, []]);
});
