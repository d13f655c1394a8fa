import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DRIVER_RULES, podObject, putPod, putSlice, REVIEW_RULES } from '@sallyport/kube/testing';
import { createAuthority } from '@sallyport/pki';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN, labelsOf, NAMESPACE, openTestCluster, putDriver, putSecrets, type TestCluster } from '../../testing/cluster.ts';
import { directory, run } from '../../testing/installation.ts';

/** A real HTTPS API server that enforces roles, and the command line as people type it. */

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await openTestCluster();
});
afterEach(() => cluster.close());

interface Check {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly nextStep: string;
}
type Checks = Readonly<Record<string, Check>>;

async function check(kubeconfig = cluster.kubeconfig(ADMIN), ...more: string[]): Promise<{ code: number; checks: Checks }> {
  const { code, out, err } = await run(['check', '-o', 'json', '--kubeconfig', kubeconfig, ...more]);
  expect(err).not.toContain(ADMIN);
  expect(out).not.toMatch(/PRIVATE KEY|"d":|LS0tLS1/);
  const { checks } = JSON.parse(out) as { checks: Check[] };
  for (const { state, nextStep } of checks) expect(nextStep === '').toBe(state === 'holds');
  return { code, checks: Object.fromEntries(checks.map((each) => [each.name, each])) };
}

const account = `system:serviceaccount:${NAMESPACE}:sallyport-driver`;
const bindDriver = (rules: readonly object[] = DRIVER_RULES, reviews: readonly object[] = REVIEW_RULES): void => {
  const subjects = [{ kind: 'ServiceAccount', name: 'sallyport-driver', namespace: NAMESPACE }];
  cluster.put('Role', { metadata: { name: 'driver' }, rules });
  cluster.put('RoleBinding', { metadata: { name: 'driver' }, roleRef: { kind: 'Role', name: 'driver' }, subjects });
  cluster.put('ClusterRole', { metadata: { name: 'driver' }, rules: reviews });
  cluster.put('ClusterRoleBinding', { metadata: { name: 'driver' }, roleRef: { kind: 'ClusterRole', name: 'driver' }, subjects });
};

describe('before anything is installed', () => {
  test('what the chart needs by default is looked for, and how to make it is said', async () => {
    const { code, checks } = await check();
    expect(code).toBe(1);
    expect(checks.cluster).toMatchObject({ state: 'holds', detail: expect.stringMatching(/is Kubernetes v1\.34\.0$/) });
    expect(checks.release).toMatchObject({ state: 'skipped', detail: expect.stringMatching(/^nothing of release sallyport/) });
    expect(checks['secret sallyport-gateway-internal']).toEqual({
      name: 'secret sallyport-gateway-internal',
      state: 'fails',
      detail: 'is not in namespace sallyport',
      nextStep: 'sallyport pki secrets DIR --release sallyport --namespace sallyport | kubectl apply -f -',
    });
    expect(checks['secret sallyport-etcd-client']?.nextStep).toMatch(/--from-file=ca\.crt=FILE --from-file=tls\.crt=FILE/);
    expect(checks['secret sallyport-apps']?.state).toBe('skipped');
    expect(checks['may install']?.state).toBe('holds');
  });
  test('with the Secrets of `sallyport pki secrets` all holds', async () => {
    await putSecrets(cluster, '--domain', 'apps.example.org');
    const { code, checks } = await check();
    expect(Object.values(checks).filter(({ state }) => state === 'fails')).toEqual([]);
    expect(code).toBe(0);
    expect(checks['secret sallyport-driver-internal']?.detail).toMatch(/^its certificate is good until \d{4}-\d\d-\d\d$/);
    expect(checks['secret sallyport-apps']?.state).toBe('holds');
    expect(checks['signing keys']?.state).toBe('holds');
  });
  test('a kubeconfig is found from where people are', async () => {
    writeFileSync(
      join(directory, 'here.yaml'),
      readFileSync(cluster.kubeconfig(ADMIN, { cluster: { 'certificate-authority': cluster.stage.caFile } })),
    );
    expect((await check('here.yaml')).checks.cluster?.state).toBe('holds');
  });
  test('another release and namespace have other names', async () => {
    cluster.put('Namespace', { metadata: { name: 'doors' } });
    const { checks } = await check(undefined, '--namespace', 'doors', '--release', 'front');
    expect(checks['secret front-gateway-internal']?.nextStep).toMatch(/--release front --namespace doors/);
  });
  test('a namespace that is not there is all that is said of it', async () => {
    const { checks } = await check(undefined, '--namespace', 'nowhere');
    expect(checks.namespace).toMatchObject({ state: 'fails', nextStep: expect.stringMatching(/create namespace nowhere/) });
    expect(Object.keys(checks).filter((name) => name.startsWith('secret'))).toEqual([]);
  });
  test('who may not install is told what is lacking', async () => {
    cluster.stage.api.knowsBearer('reader-token', 'reader');
    cluster.stage.api.rbac.grant('reader', [{ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }] }]);
    const { checks } = await check(cluster.kubeconfig('reader-token'));
    expect(checks['may install']).toMatchObject({ state: 'fails', detail: 'you may not create secrets in namespace sallyport' });
  });
});

describe('once it is installed', () => {
  beforeEach(async () => {
    await putSecrets(cluster);
    putDriver(cluster);
  });

  test('under the rules of the documentation all holds', async () => {
    bindDriver();
    putSlice(cluster.stage.api.store, 'd', {
      namespace: NAMESPACE,
      service: 'sallyport-driver',
      port: 7445,
      endpoints: [{ ips: ['10.0.0.3'], uid: 'd' }],
    });
    const { code, checks } = await check();
    expect(Object.values(checks).filter(({ state }) => state === 'fails')).toEqual([]);
    expect(code).toBe(0);
    expect(checks['driver pods']?.detail).toBe('sallyport-driver may get, list, watch pods in namespace sallyport');
    expect(checks['driver tokenreviews']?.detail).toMatch(/in the whole cluster$/);
    expect(checks['driver pods/exec']?.state).toBe('holds');
    expect(checks['deployment sallyport-driver']?.detail).toBe('2 of 2 Pods ready');
    expect(checks['service sallyport-driver']?.detail).toBe('1 ready Pod behind port 7445');
  });

  const lacking: [title: string, rules: readonly object[], reviews: readonly object[], name: string, detail: RegExp][] = [
    ['no rule', [], [], 'driver pods', /may not get pods in namespace sallyport/],
    [
      'no watch',
      [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
      REVIEW_RULES,
      'driver pods',
      /may not watch pods/,
    ],
    ['no Events', DRIVER_RULES.slice(0, 1), REVIEW_RULES, 'driver events', /may not create events/],
    ['no reviews', DRIVER_RULES, [], 'driver tokenreviews', /may not create tokenreviews in the whole cluster/],
    [
      'more than it needs',
      [...DRIVER_RULES, { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }],
      REVIEW_RULES,
      'driver pods/exec',
      /may run commands in Pods/,
    ],
  ];
  test.each(lacking)('the driver has %s', async (_title, rules, reviews, name, detail) => {
    bindDriver(rules, reviews);
    const { code, checks } = await check();
    expect(checks[name]).toMatchObject({ state: 'fails', detail: expect.stringMatching(detail) });
    expect(code).toBe(1);
  });
  test('the driver asks for itself, without leave to ask of others', async () => {
    bindDriver();
    const claims = { sub: account, exp: 4_000_000_000 };
    const token = ['{}', JSON.stringify(claims), 's'].map((part) => Buffer.from(part).toString('base64url')).join('.');
    cluster.stage.api.knowsBearer(token, account);
    const { checks } = await check(cluster.kubeconfig(token));
    expect(checks['driver pods']?.state).toBe('holds');
    expect(checks['secret sallyport-driver-internal']?.state).toBe('skipped');
  });
  test('who may not ask of others, nor look, is told so, and nothing is called wrong', async () => {
    cluster.stage.api.knowsBearer('nobody-token', 'nobody');
    const { code, checks } = await check(cluster.kubeconfig('nobody-token'));
    expect(code).toBe(0);
    expect(checks.release).toMatchObject({ state: 'skipped', detail: expect.stringMatching(/you may not list deployments/) });
    expect(checks['driver pods']).toMatchObject({
      state: 'skipped',
      nextStep: expect.stringMatching(/create token sallyport-driver$/),
    });
    expect(checks['secret sallyport-gateway-internal']?.detail).toBe(
      'not looked at: you may not get Secrets in namespace sallyport',
    );
  });
  test('the rules that docs/kubernetes.md gives for it are enough, and none is surplus', async () => {
    const { api } = cluster.stage;
    api.knowsBearer('looker-token', 'looker');
    api.rbac.grant('looker', [
      {
        rules: [
          { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get'] },
          { apiGroups: [''], resources: ['pods', 'services'], verbs: ['list'] },
          { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list'] },
          { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
          { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
          { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
        ],
      },
    ]);
    const { checks } = await check(cluster.kubeconfig('looker-token'));
    const ofOthers = /^(gateway|discovery|dns)/;
    expect(Object.values(checks).filter(({ name, state }) => state === 'skipped' && !ofOthers.test(name))).toEqual([]);
    expect(api.rbac.refused('looker')).toEqual([]);
    // The ConfigMap is looked for by who mounts it, and by the defaults.
    cluster.remove('deployments', 'sallyport-driver');
    await check(cluster.kubeconfig('looker-token'));
    expect(api.rbac.unused('looker')).toEqual([]);
  });
  test('Pods that are not ready, and a Service with nobody behind it', async () => {
    putDriver(cluster, undefined, 1);
    const crashes = podObject('d-1', { namespace: NAMESPACE, ready: false, containers: [{ name: 'main', running: false }] });
    cluster.put('Pod', { ...crashes, metadata: { ...crashes.metadata, labels: labelsOf('driver') } });
    const { checks } = await check();
    expect(checks['deployment sallyport-driver']).toMatchObject({
      state: 'fails',
      detail: '1 of 2 Pods ready; d-1: main waits: CrashLoopBackOff',
    });
    expect(checks['service sallyport-driver']).toMatchObject({
      state: 'fails',
      detail: 'no ready Pod is behind it at port 7445',
      nextStep: expect.stringMatching(/get pods -l .*component=driver/),
    });
  });
  test('a Secret that the release mounts and that is not there', async () => {
    cluster.remove('secrets', 'sallyport-driver-internal');
    const { checks } = await check();
    expect(checks['secret sallyport-driver-internal']?.state).toBe('fails');
    expect(Object.keys(checks).filter((name) => name.startsWith('secret'))).toHaveLength(1);
  });
  test('Pods, as its driver reads them', async () => {
    const { store } = cluster.stage.api;
    const of = (name: string, shape: object) => putPod(store, name, { namespace: NAMESPACE, ...shape });
    of('good', {
      labels: { workspace: 'team', sandbox: 'demo' },
      annotations: { services: 'web=8080', boundary: '9443' },
      ips: ['10.0.0.9'],
    });
    of('bad', { labels: { workspace: 'team', sandbox: 'bad' }, annotations: { services: 'x' } });
    of('sup', { labels: { pool: 'shared' }, serviceAccount: 'sallyport-supervisor', ips: ['10.0.0.7'] });
    of('stray', { labels: { pool: 'shared' }, ips: ['10.0.0.8'] });
    of('unrelated', {});
    putPod(store, 'far', { namespace: 'elsewhere', labels: { workspace: 'team', sandbox: 'far' } });
    const { checks } = await check();
    expect(checks.pods?.detail).toBe('4 with labels or annotations of ours: sandboxes 2, supervisors 2, neither 0');
    expect(checks['pod sallyport/good']).toMatchObject({
      state: 'holds',
      detail: 'sandbox team/demo: web=8080, boundary at 10.0.0.9:9443',
    });
    expect(checks['pod sallyport/bad']).toMatchObject({ state: 'fails', detail: expect.stringMatching(/"x" is not name=port/) });
    expect(checks['pod sallyport/sup']?.detail).toBe('supervisor of pool shared, reached at 10.0.0.7:8443');
    expect(checks['pod sallyport/stray']).toMatchObject({
      state: 'fails',
      detail: expect.stringMatching(/no account of supervisors/),
    });
    expect(checks['pods elsewhere']).toMatchObject({ state: 'fails', detail: expect.stringMatching(/elsewhere\/far$/) });
  });
});

describe('a cluster is not looked at', () => {
  const failing = async (kubeconfig: string, ...more: string[]): Promise<Check | undefined> => {
    const { code, checks } = await check(kubeconfig, ...more);
    expect(code).toBe(1);
    expect(Object.keys(checks).filter((name) => name.startsWith('secret'))).toEqual([]);
    return checks.cluster;
  };
  const file = (name: string, text: string): string => {
    const path = join(cluster.stage.directory, name);
    writeFileSync(path, text);
    return path;
  };

  test('through another CA', async () => {
    const other = await createAuthority({ commonName: 'other', days: 1, now: new Date() });
    const kubeconfig = cluster.kubeconfig(ADMIN, { cluster: { 'certificate-authority': file('other.crt', other.certPem) } });
    expect(await failing(kubeconfig)).toMatchObject({
      detail: expect.stringMatching(/is not of the CA that the kubeconfig names/),
    });
  });
  test('under a name that its certificate is not for', async () => {
    const kubeconfig = cluster.kubeconfig(ADMIN, { cluster: { 'tls-server-name': 'other.example' } });
    expect(await failing(kubeconfig)).toMatchObject({ detail: expect.stringMatching(/is for another name/) });
  });
  test('with a token that nobody knows', async () =>
    expect(await failing(cluster.kubeconfig('stranger'))).toMatchObject({
      detail: expect.stringMatching(/does not take the token$/),
    }));
  test('with a token that has ended, and when is said', async () => {
    const token = `e30.${Buffer.from(JSON.stringify({ exp: 1_700_000_000 })).toString('base64url')}.s`;
    expect(await failing(cluster.kubeconfig(token))).toMatchObject({
      detail: expect.stringMatching(/does not take the token: it ended at 2023-11-14T22:13:20\.000Z$/),
      nextStep: expect.stringMatching(/kubectl create token/),
    });
  });
  test('where nobody listens', async () => {
    const kubeconfig = cluster.kubeconfig(ADMIN, { cluster: { server: 'https://127.0.0.1:1' } });
    expect(await failing(kubeconfig)).toMatchObject({ detail: expect.stringMatching(/cannot be reached \(ECONNREFUSED/) });
  });
  test('where something else answers', async () => {
    cluster.stage.api.faults.on(({ path }) => path === '/version', { kind: 'garbage' });
    expect(await failing(cluster.kubeconfig(ADMIN))).toMatchObject({
      detail: expect.stringMatching(/is no Kubernetes API server/),
    });
  });

  const unread: [title: string, path: () => string, more: string[], detail: RegExp][] = [
    ['a file that is not there', () => '/nowhere/config', [], /\/nowhere\/config cannot be read \(ENOENT\)/],
    [
      'a directory',
      () => {
        const path = join(cluster.stage.directory, 'folder');
        mkdirSync(path);
        return path;
      },
      [],
      /cannot be read \(EISDIR\)/,
    ],
    ['no YAML', () => file('config', '{'), [], /is not YAML/],
    [
      'a context that it does not have',
      () => cluster.kubeconfig(ADMIN),
      ['--context', 'there'],
      /no context "there", but "here"/,
    ],
    ['no current context', () => cluster.kubeconfig(ADMIN, { context: '' }), [], /names no current-context: name one of "here"/],
    ['an exec plugin', () => cluster.kubeconfig(ADMIN, { user: { exec: {} } }), [], /exec plugins are not run/],
    [
      'a check that is off',
      () => cluster.kubeconfig(ADMIN, { cluster: { 'insecure-skip-tls-verify': true } }),
      [],
      /insecure-skip/,
    ],
    ['a CA file that is not there', () => cluster.kubeconfig(ADMIN, { cluster: { 'certificate-authority': 'x' } }), [], /ENOENT/],
  ];
  test.each(unread)('by %s', async (_title, path, more, detail) =>
    expect(await failing(path(), ...more)).toMatchObject({ detail: expect.stringMatching(detail) }),
  );

  test('as a Pod, outside of one', async () => {
    const { code, out } = await run(['check', '--in-cluster']);
    expect([code, out]).toEqual([1, expect.stringMatching(/✗ cluster .*this process is in no Kubernetes Pod/)]);
  });
  const misuses: [options: string[], why: RegExp][] = [
    [['--context', 'a'], /--context needs --kubeconfig/],
    [['--namespace', 'a'], /--namespace needs --kubeconfig or --in-cluster/],
    [['--kubeconfig', 'a', '--in-cluster'], /exclude each other/],
    [['--kubeconfig', 'a', '--namespace', 'A/B'], /--namespace: "A\/B" is no such name/],
    [['--in-cluster', '--release', '-x'], /--release/],
  ];
  test.each(misuses)('by %j', async (options, why) =>
    expect(await run(['check', ...options])).toMatchObject({ code: 64, err: expect.stringMatching(why) }),
  );
});

test('people see marks, and what to do', async () => {
  const { out } = await run(['check', '--kubeconfig', cluster.kubeconfig(ADMIN)]);
  expect(out).toMatch(/^✓ cluster +https:\/\/127\.0\.0\.1:\d+ is Kubernetes v1\.34\.0$/m);
  expect(out).toMatch(/^✗ secret sallyport-signing-keys +is not in namespace sallyport\n +→ sallyport pki secrets/m);
});
