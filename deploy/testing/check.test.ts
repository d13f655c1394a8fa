import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '@sallyport/cli';
import { followRoles, type KubeStage, openKubeStage, RESOURCES, type Resource } from '@sallyport/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { NAMESPACE, RELEASE, SCENARIOS } from './helm.ts';
import { objectsOf } from './objects.ts';

/** `sallyport check --kubeconfig` looks for what the chart really mounts, and finds the roles that it really makes. */

let stage: KubeStage;
afterEach(() => stage.close());

interface Check {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

async function install(scenario: string): Promise<string> {
  stage = await openKubeStage();
  const { api } = stage;
  followRoles(api.store, api.rbac);
  api.knowsBearer('admin-token', 'admin');
  api.rbac.grant('admin', [{ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }]);
  const put = (kind: string, object: object): void => {
    const resource = RESOURCES.find((each) => each.kind === kind) as Resource | undefined;
    if (resource === undefined) return;
    const { metadata } = object as { readonly metadata: { readonly namespace?: string } };
    const namespace = resource.scope === 'cluster' ? '' : (metadata.namespace ?? NAMESPACE);
    api.store.put(resource, { ...object, metadata: { ...metadata, namespace } } as never);
  };
  put('Namespace', { metadata: { name: NAMESPACE } });
  for (const object of objectsOf(scenario)) put(object.kind, object);
  const { items } = JSON.parse(
    (await run('pki', 'secrets', join(stage.directory, 'pki'), '--namespace', NAMESPACE, '--release', RELEASE)).out,
  ) as {
    readonly items: readonly { readonly kind: string }[];
  };
  for (const item of items) put(item.kind, item);
  const path = join(stage.directory, 'kubeconfig');
  const config = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: api.url, 'certificate-authority': 'ca.crt' } }],
    users: [{ name: 'x', user: { token: 'admin-token' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function run(...argv: readonly string[]): Promise<{ readonly out: string }> {
  const out: string[] = [];
  const host = { argv, env: {}, cwd: stage.directory, stderr: () => undefined, signal: new AbortController().signal };
  await execute({ ...host, stdout: (text) => void out.push(text) });
  return { out: out.join('') };
}

async function check(kubeconfig: string): Promise<readonly Check[]> {
  const { out } = await run(
    'check',
    '-o',
    'json',
    '--kubeconfig',
    kubeconfig,
    '--namespace',
    NAMESPACE,
    '--release',
    RELEASE,
    '--domain',
    'localhost',
  );
  return (JSON.parse(out) as { readonly checks: readonly Check[] }).checks;
}

/** What people make by hand, or cert-manager for them; `sallyport pki secrets` makes the rest. */
const MADE_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'all-namespaces': ['secret ingress-ca', 'secret sallyport-edge-token', 'secret wildcard'],
  dedicated: ['secret sallyport-etcd-client', 'secret wildcard'],
  default: ['secret sallyport-etcd-client'],
  edge: ['secret sallyport-apps', 'secret sallyport-edge-token', 'secret sallyport-etcd-client'],
  ingress: [
    'configmap grants',
    'configmap keys-public',
    'secret discovery',
    'secret etcd-for-doors',
    'secret ingress-ca',
    'secret keys',
    'secret operators',
    'secret wildcard',
  ],
  kind: ['secret sallyport-apps', 'secret sallyport-edge-token'],
  trial: ['secret sallyport-edge-token', 'secret wildcard'],
};

describe.each(SCENARIOS)('%s', (scenario) => {
  test('what is mounted is looked for, and the rendered roles are found good', async () => {
    const checks = await check(await install(scenario));
    const objects = checks.filter(({ name }) => /^(secret|configmap) /.test(name));
    const lacking = objects.filter(({ state }) => state !== 'holds').map(({ name }) => name);
    expect(lacking.sort()).toEqual(MADE_ELSEWHERE[scenario]);
    expect(objects.filter(({ state }) => state === 'holds').length).toBeGreaterThanOrEqual(4);
    const roles = checks.filter(({ name }) => name.startsWith('driver '));
    expect(roles.filter(({ state }) => state !== 'holds')).toEqual([]);
    expect(roles.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['driver pods', 'driver events', 'driver tokenreviews']),
    );
  });
});

test('before it is installed, what its defaults will mount is looked for', async () => {
  const path = await install('default');
  const looked = async (): Promise<readonly string[]> =>
    (await check(path)).map(({ name }) => name).filter((name) => /^(secret|configmap) /.test(name));
  const installed = await looked();
  for (const kind of ['deployments', 'statefulsets'])
    for (const { metadata } of stage.api.store.list(kind, undefined))
      stage.api.store.remove(kind, metadata.namespace, metadata.name);
  const before = await looked();
  // Whether applications are served is not known yet.
  expect(before.filter((name) => name !== `secret ${RELEASE}-apps`).sort()).toEqual([...installed].sort());
});
