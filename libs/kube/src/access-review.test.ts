import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Permission, resourceOf, reviewAccess, reviewOwnAccess } from './access-review.ts';
import type { KubeClient } from './api/client.ts';
import { driverPermissions, NEVER_OF_THE_DRIVER } from './driver-permissions.ts';
import { DRIVER_RULES, REVIEW_RULES, SLICE_RULES } from './testing/driver-role.ts';
import { DRIVER_USER, type KubeStage, openKubeStage } from './testing/kube-stage.ts';

let stage: KubeStage;
let client: KubeClient;
beforeAll(async () => {
  stage = await openKubeStage();
  client = (await stage.connect()).client;
});
afterAll(() => stage.close());

const said = (answer: Awaited<ReturnType<typeof reviewOwnAccess>>) => (answer.ok ? answer.value : answer.error.kind);
const driver = { namespace: 'sallyport', name: 'driver' };
const other = { namespace: 'sallyport', name: 'other' };
const pods: Permission = { verb: 'list', group: '', resource: 'pods' };
const ASK = { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] };

describe('who asks', () => {
  const rows: [permission: Permission, namespace: string, allowed: boolean][] = [
    [pods, '', true],
    [pods, 'one', true],
    [{ ...pods, verb: 'delete' }, 'one', false],
    [{ ...pods, group: 'apps' }, 'one', false],
    [NEVER_OF_THE_DRIVER, 'one', false],
    [{ verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews', isOfCluster: true }, 'one', true],
  ];
  test.each(rows)('is told of %j in %j: %j', async (permission, namespace, allowed) =>
    expect(said(await reviewOwnAccess(client, permission, namespace))).toBe(allowed),
  );
  test('is not told of an account without leave to ask', async () =>
    expect(said(await reviewAccess(client, driver, pods, 'one'))).toBe('forbidden'));
  test('is told of an account, and of that one', async () => {
    stage.api.rbac.grant(DRIVER_USER, [{ rules: [...DRIVER_RULES, ...REVIEW_RULES, ...SLICE_RULES, ASK] }]);
    expect(said(await reviewAccess(client, driver, pods, 'one'))).toBe(true);
    expect(said(await reviewAccess(client, other, pods, 'one'))).toBe(false);
  });
});

test('what is of no namespace is asked about in none', async () => {
  const bodies: unknown[] = [];
  const post = async (_path: string, body: unknown) => {
    bodies.push(body);
    return { ok: true as const, value: {} };
  };
  expect(await reviewOwnAccess({ post }, { ...pods, isOfCluster: true }, 'one')).toEqual({ ok: true, value: false });
  expect(bodies).toMatchObject([{ spec: { resourceAttributes: { namespace: '' } } }]);
});

test.each([
  [{ appEndpoints: true, endpointSlices: false }, ['pods: get list watch', 'events: create', 'tokenreviews: create']],
  [{ appEndpoints: false, endpointSlices: false }, ['pods: list watch', 'events: create', 'tokenreviews: create']],
  [
    { appEndpoints: true, endpointSlices: true },
    ['pods: get list watch', 'events: create', 'tokenreviews: create', 'endpointslices: list watch'],
  ],
])('a driver of %j needs', (needs, want) =>
  expect(driverPermissions(needs).map(({ name, wanted }) => `${name}: ${wanted.map(({ verb }) => verb).join(' ')}`)).toEqual(
    want,
  ),
);
test('a subresource is named with its resource', () => expect(resourceOf(NEVER_OF_THE_DRIVER)).toBe('pods/exec'));
