import { type KubeStage, openKubeStage } from '@sallyport/driver/testing';
import { putPod, until } from '@sallyport/kube/testing';
import { livelyMs } from '@sallyport/process/lively';
import type { Supervisor } from '@sallyport/supervisor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, openInstallation } from '../testing/kube/installation.ts';

/** The whole way: an API server over HTTPS, the Kubernetes driver, two gateways that follow it, and a supervisor in a Pod. */
let stage: KubeStage;
let installation: Installation;
let supervisor: Supervisor;
let supervisorUid: string;
const pool = { namespace: 'sallyport', serviceAccount: 'supervisor', labels: { pool: 'blue' }, ips: ['127.0.0.1'] };
const box = { labels: { workspace: 'team', sandbox: 'demo', pool: 'blue' }, annotations: { services: 'web=3000' } };

beforeAll(async () => {
  stage = await openKubeStage();
  installation = await openInstallation(await stage.driver(), { gateways: 2, follow: true });
  supervisorUid = putPod(stage.api.store, 'sup', pool).metadata.uid;
  const token = stage.api.tokens.issue({
    namespace: 'sallyport',
    serviceAccount: 'supervisor',
    pod: { name: 'sup', uid: supervisorUid },
    audiences: ['sallyport-gateway'],
  });
  await until('the Pods', () => stage.api.watches.count === 1);
  supervisor = await installation.supervise('blue', token);
});
afterAll(async () => {
  await installation.close();
  await stage.close();
});

const services = (): string[] => {
  const id = installation.world.names.get('team/demo')?.value;
  const config = id === undefined ? undefined : installation.world.configs.get(id)?.value;
  return config?.services.map(({ service, port }) => `${service}:${port}`) ?? [];
};

test('label a Pod: within a second it is declared, then it is served and published at the address of the supervisor’s Pod', async () => {
  await until('both gateways to follow', () => stage.api.watches.count === 1);
  const began = livelyMs();
  putPod(stage.api.store, 'box', box);
  await until('the declaration', () => services().join() === 'web:3000');
  expect(livelyMs() - began).toBeLessThan(1_000);
  await until('publication', () => installation.published('demo') !== undefined);
  expect(installation.published('demo')).toBe(`127.0.0.1:${supervisor.appPort} ${supervisorUid}`);
  await until('the lease', () => supervisor.servedHosts().join() === 'team--demo--web.apps.test');
});
test('change its annotation: it follows within a second', async () => {
  const began = livelyMs();
  putPod(stage.api.store, 'box', { ...box, annotations: { services: 'api=4000' } });
  await until('the declaration', () => services().join() === 'api:4000');
  expect(livelyMs() - began).toBeLessThan(1_000);
  await until('the supervisor', () => supervisor.servedHosts().join() === 'team--demo--api.apps.test');
});
test('a second Pod of that name: neither is served; when it goes, the first one is again', async () => {
  putPod(stage.api.store, 'copy', box);
  await until('the withdrawal', () => services().length === 0);
  await until('the supervisor', () => supervisor.servedHosts().length === 0);
  stage.api.store.remove('pods', 'default', 'copy');
  await until('the first', () => services().join() === 'api:4000');
});
test('the API server is away: what is declared and published stays', async () => {
  stage.api.watches.break();
  await installation.driver.stop();
  await installation.driver.start();
  expect(services()).toEqual(['api:4000']);
  putPod(stage.api.store, 'box', { ...box, annotations: { services: 'api=4001' } });
  await until('what changed meanwhile', () => services().join() === 'api:4001');
});
test('an operator’s own declaration outlives the Pod', async () => {
  expect(await installation.operator.expose('demo', 9_999, 'admin')).toMatchObject({ ok: true });
  stage.api.store.remove('pods', 'default', 'box');
  await until('the withdrawal', () => services().join() === 'admin:9999');
});
test('the supervisor’s Pod is not ready: nothing of it is published any more', async () => {
  await until('publication', () => installation.published('demo') !== undefined);
  putPod(stage.api.store, 'sup', { ...pool, ready: false });
  await until('the withdrawal', () => installation.published('demo') === undefined);
});
