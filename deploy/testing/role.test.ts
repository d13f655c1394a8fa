import type * as driver from '@sallyport/driver';
import { type KubeStage, openKubeStage } from '@sallyport/driver/testing';
import { DRIVER_USER, putPod, putSlice, until } from '@sallyport/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { NAMESPACE, SCENARIOS } from './helm.ts';
import { type KubeObject, objectsOf, type Pods, podsOf, type Rule } from './objects.ts';
import { readContainer } from './readers.ts';

let stage: KubeStage;
afterEach(() => stage.close());

/** What RBAC gives to a service account: a binding in a namespace counts there, one of the cluster everywhere. */
function grantsOf(
  objects: readonly KubeObject[],
  account: string,
): { readonly rules: readonly Rule[]; readonly namespace?: string }[] {
  return objects
    .filter(
      ({ kind, subjects }) =>
        kind.endsWith('RoleBinding') && subjects?.some(({ name, namespace }) => `${namespace}/${name}` === account),
    )
    .map((binding) => {
      const { namespace } = binding.metadata;
      const role = objects.find(
        ({ kind, metadata }) =>
          kind === binding.roleRef?.kind &&
          metadata.name === binding.roleRef.name &&
          (kind === 'ClusterRole' || metadata.namespace === namespace),
      );
      return { rules: role?.rules ?? [], ...(binding.kind === 'RoleBinding' && namespace !== undefined ? { namespace } : {}) };
    });
}

const driverPods = (objects: readonly KubeObject[]): Pods =>
  podsOf(objects).find(({ name }) => name === 'sallyport-driver') as Pods;

/** As the driver's own wiring has them. */
function optionsOf({ spec }: Pods) {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('the driver has no container');
  const { config, problems } = readContainer('driver', spec, container);
  expect(problems).toEqual([]);
  const { kubernetes } = config as unknown as driver.Config;
  return { ...kubernetes, appEndpoints: kubernetes.appEndpoints === 'on' };
}

const rows = SCENARIOS.map((scenario) => {
  const objects = objectsOf(scenario);
  return { scenario, objects, grants: grantsOf(objects, `${NAMESPACE}/sallyport-driver`) };
});

describe.each(rows)('$scenario', ({ objects, grants }) => {
  test('the driver runs under the rendered roles, and each of their rights is needed', async () => {
    stage = await openKubeStage();
    stage.api.rbac.grant(DRIVER_USER, grants);
    const options = optionsOf(driverPods(objects));
    const namespaces = options.namespaces.length > 0 ? options.namespaces : ['anywhere'];
    const supervisor = putPod(stage.api.store, 'sup', {
      namespace: NAMESPACE,
      serviceAccount: 'sallyport-supervisor',
      labels: { pool: 'shared' },
      ips: ['10.0.0.7'],
      ...(options.endpointSlices ? { annotations: { service: 'front' } } : {}),
    });
    for (const namespace of namespaces)
      putPod(stage.api.store, `bad-${namespace}`, {
        namespace,
        labels: { workspace: namespace, sandbox: 'bad' },
        annotations: { services: 'x' },
      });
    if (options.endpointSlices)
      putSlice(stage.api.store, 'front-1', {
        namespace: NAMESPACE,
        service: 'front',
        port: 8443,
        endpoints: [{ ips: ['10.0.0.7'], uid: supervisor.metadata.uid }],
      });
    const running = await stage.driver(options);
    const token = stage.api.tokens.issue({
      namespace: NAMESPACE,
      serviceAccount: 'sallyport-supervisor',
      pod: { name: 'sup', uid: supervisor.metadata.uid },
      audiences: ['sallyport-gateway'],
    });
    await until('all lists', () => running.pods.complete());
    await until('the Events', () => stage.api.store.list('events', undefined).length === namespaces.length);
    const proven = await running.authenticateSupervisor(token);
    expect(proven).toMatchObject({ ok: true, value: { supervisorUid: supervisor.metadata.uid, poolId: 'shared' } });
    const asked = { poolId: 'shared', memberId: 'm', supervisorUid: supervisor.metadata.uid, appPort: 8443 } as never;
    if (options.appEndpoints) await expect.poll(() => running.resolveSupervisorAppEndpoint(asked)).toMatchObject({ ok: true });
    const found = (await running.checkSelf?.()) ?? [];
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    expect(stage.api.rbac.refused(DRIVER_USER)).toEqual([]);
    expect(stage.api.rbac.unused(DRIVER_USER)).toEqual([]);
  });
});

/** Labels or annotations as the driver's tests write them: ours, without their prefix. */
const ownOf = (all: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) =>
      key.startsWith('sallyport.dev/') ? [[key.replace('sallyport.dev/', ''), value]] : [],
    ),
  );

describe.each(rows)('$scenario', ({ objects }) => {
  test('the driver takes supervisors and example sandboxes for what they are', async () => {
    stage = await openKubeStage();
    const running = await stage.driver(optionsOf(driverPods(objects)));
    for (const { name, namespace, labels, annotations, spec } of podsOf(objects)) {
      const { metadata } = putPod(stage.api.store, name, {
        namespace,
        labels: ownOf(labels),
        annotations: ownOf(annotations),
        serviceAccount: spec.serviceAccountName ?? 'default',
        containers: spec.containers.map((container) => ({ name: container.name })),
      });
      await until('the Pod', () => running.pods.complete());
      const token = stage.api.tokens.issue({
        namespace,
        serviceAccount: spec.serviceAccountName ?? 'default',
        pod: { name, uid: metadata.uid },
        audiences: ['sallyport-gateway'],
      });
      const supervisor = spec.containers.find((container) => container.name === 'supervisor');
      const pool = supervisor?.args?.find((argument) => argument.startsWith('--pool='))?.replace('--pool=', '');
      if (pool === undefined)
        await expect.poll(() => running.authenticateSupervisor(token)).toMatchObject({ error: { kind: 'unauthenticated' } });
      else await expect.poll(() => running.authenticateSupervisor(token)).toMatchObject({ value: { poolId: pool } });
      const { workspace, sandbox } = ownOf(labels);
      if (sandbox !== undefined)
        expect(running.getSandbox(workspace as never, sandbox as never)).toMatchObject({
          ok: true,
          value: { problem: '', services: [{ service: 'web', port: 8080 }] },
        });
    }
  });
});
