import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { describeHelm } from './describe-helm.ts';
import { CHART, goldenFile, render, renderAs, SCENARIOS } from './helm.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-values-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const on = { enabled: true, tlsSecret: 'wildcard', ingress: [{ namespaceSelector: {} }] };
/** Values on top of which one thing is wrong. */
const sound = { domain: 'apps.acme.test', appListener: on };

const rows: [title: string, values: object, why: RegExp][] = [
  // By the schema: where, and what is wanted.
  ['a word for a number', { gateway: { replicas: 'two' } }, /at '\/gateway\/replicas': got string, want integer/],
  ['a value that there is not', { gatway: { replicas: 2 } }, /additional properties 'gatway' not allowed/],
  [
    'a value that there is not, deep inside',
    { etcd: { tls: { enable: true } } },
    /at '\/etcd\/tls': additional properties 'enable' not allowed/,
  ],
  ['no gateway', { gateway: { replicas: 0 } }, /at '\/gateway\/replicas': minimum: got 0, want 1/],
  ['a domain with a wildcard', { domain: '*.acme.test' }, /at '\/domain'/],
  ['a port that needs privileges', { appListener: { port: 443 } }, /at '\/appListener\/port': minimum/],
  ['an address for a Secret', { appListener: { tlsSecret: 'my_secret' } }, /at '\/appListener\/tlsSecret'/],
  ['certificates from nowhere', { internalCertificates: { from: 'vault' } }, /must be one of 'secrets', 'cert-manager'/],
  ['an endpoint with a scheme', { etcd: { endpoints: ['https://etcd:2379'] } }, /at '\/etcd\/endpoints\/0'/],
  ['keys in the clear', { discovery: { jwt: { jwksUrl: 'http://a/keys', issuer: 'a' } } }, /at '\/discovery\/jwt\/jwksUrl'/],
  ['a drain without a unit', { supervisors: { drain: '10' } }, /at '\/supervisors\/drain'/],
  ['an argument that is no flag', { supervisors: { extraArgs: ['max-connections=1'] } }, /at '\/supervisors\/extraArgs\/0'/],
  ['a pool without a size', { supervisors: { pools: [{ name: 'a' }] } }, /missing properties 'replicas', 'capacity'/],
  ['a peer that is a name', { appListener: { ingress: ['nginx'] } }, /at '\/appListener\/ingress\/0': got string, want object/],
  ['an empty peer, which would be anybody', { gateway: { operators: [{}] } }, /at '\/gateway\/operators\/0'/],
  ['runbooks at a path', { prometheusRule: { runbooks: '/docs' } }, /at '\/prometheusRule\/runbooks'/],
  [
    'alerts that are wanted by a number',
    { prometheusRule: { enabled: 1 } },
    /at '\/prometheusRule\/enabled': got number, want boolean/,
  ],
  [
    'a number as a label of it',
    { prometheusRule: { labels: { tier: 1 } } },
    /prometheusRule\/labels\/tier': got number, want string/,
  ],
  ['a Pod that is killed at once', { edge: { terminationGracePeriodSeconds: 0 } }, /terminationGracePeriodSeconds': minimum/],
  ['a toleration that is a word', { tolerations: ['doors'] }, /at '\/tolerations\/0': got string, want object/],
  ['an affinity that there is not', { affinity: { nodes: {} } }, /at '\/affinity': additional properties 'nodes' not allowed/],
  ['a number as an annotation', { podAnnotations: { 'acme.test/cost': 7 } }, /podAnnotations.*: got number, want string/],
  ['a request of a third kind', { gateway: { resources: { claims: [] } } }, /at '\/gateway\/resources': additional properties/],
  // By the templates: what does not go together, and what to do.
  ['a tag that moves', { image: { tag: 'latest' } }, /image.tag latest says nothing/],
  ['the example’s domain', { appListener: on }, /domain is still the example/],
  ['a listener without a certificate', { ...sound, appListener: { ...on, tlsSecret: '' } }, /set appListener.tlsSecret, or/],
  ['a listener that nobody may reach', { ...sound, appListener: { ...on, ingress: [] } }, /nobody may reach the applications/],
  [
    'a listener for the whole cluster',
    { ...sound, networkPolicy: { enabled: false } },
    /every Pod of the cluster reaches the applications/,
  ],
  ['stated addresses from anybody', { ...sound, appListener: { ...on, trustedCidrs: ['0.0.0.0/0'] } }, /believes anybody/],
  ['an edge without a listener', { edge: { enabled: true } }, /the edge has nothing to lead to/],
  ['a PROXY header that nobody believes', { ...sound, edge: { enabled: true, sendProxy: true } }, /put the CIDR of its Pods/],
  [
    'a Service without a listener',
    { dedicated: { services: [{ name: 'a', workspace: 'a', sandbox: 'b' }] } },
    /lead to an application listener that is off/,
  ],
  ['no etcd', { etcd: { endpoints: [] } }, /etcd.endpoints is empty/],
  ['an etcd in the clear', { etcd: { tls: { enabled: false } } }, /lets whoever is on the network write/],
  ['a bundled etcd without an image', { etcd: { bundled: { enabled: true } } }, /etcd.bundled.image is missing/],
  [
    'a bundled etcd for everybody',
    { networkPolicy: { enabled: false }, etcd: { bundled: { enabled: true, image: 'etcd' } } },
    /has no authentication/,
  ],
  [
    'some namespaces and all of them',
    { workloads: { namespaces: ['a'], allNamespaces: true, oneOwner: true } },
    /exclude each other/,
  ],
  ['namespaces that may claim each other’s names', { workloads: { namespaces: ['a'] } }, /set workloads.workspaceIsNamespace/],
  ['everybody’s account', { workloads: { sidecarAccounts: ['team/default'] } }, /the account of every Pod that names none/],
  [
    'a pool twice',
    {
      supervisors: {
        pools: [
          { name: 'a', replicas: 1, capacity: 1 },
          { name: 'a', replicas: 1, capacity: 1 },
        ],
      },
    },
    /has a twice/,
  ],
  ['keys of an unnamed issuer', { discovery: { jwt: { jwksUrl: 'https://a/keys' } } }, /needs discovery.jwt.issuer/],
  [
    'a boundary without its own certificate',
    { ...sound, examples: { sharedSandbox: true } },
    /need internalCertificates.from cert-manager/,
  ],
  [
    'a drain that Kubernetes cuts short',
    { gateway: { extraArgs: ['--drain=30s'] } },
    /gateway drains for 30s, .* set gateway\.term.* to 35 or more$/m,
  ],
  [
    'the same in milliseconds',
    { edge: { extraArgs: ['--drain=12001ms'] } },
    / drains for \S+, and Kubernetes would kill it before/,
  ],
  [
    'a grace below the drain of all',
    { driver: { terminationGracePeriodSeconds: 12 } },
    /^ {2}- driver drains for 10s, and Kubernetes would/m,
  ],
  ['a drain of hours in minutes', { discovery: { extraArgs: ['--drain=2h'] } }, /discovery drains for 2h, .* to 7205 or more/],
  ['a drain in words', { gateway: { extraArgs: ['--drain=long'] } }, /\.extraArgs: --drain=\S+ is no duration such as 30s/],
  ['a drain that supervisors refuse', { supervisors: { drain: '61m' } }, /supervisors.drain is longer than an hour/],
  [
    'a Service for a supervisor without a listener',
    { dedicated: { supervisors: [{ name: 'a', workspace: 'a', sandbox: 'b', service: true }] } },
    /dedicated.supervisors a wants a Service/,
  ],
  [
    'two supervisors of one name',
    {
      dedicated: {
        supervisors: [
          { name: 'a', workspace: 'a', sandbox: 'b' },
          { name: 'a', workspace: 'a', sandbox: 'c' },
        ],
      },
    },
    /dedicated.supervisors has the name a twice/,
  ],
  [
    'two supervisors of one sandbox',
    {
      dedicated: {
        supervisors: [
          { name: 'a', workspace: 'a', sandbox: 'b' },
          { name: 'c', workspace: 'a', sandbox: 'b' },
        ],
      },
    },
    /dedicated.supervisors has the sandbox \S+ twice/,
  ],
  // By the containers: what an app itself would refuse only when it starts.
  [
    'a drain of supervisors beside its value',
    { supervisors: { extraArgs: ['--drain=1m'] } },
    /--drain is given to the supervisor twice/,
  ],
  [
    'the port of health',
    { gateway: { extraArgs: ['--admin-listen=0.0.0.0:1'] } },
    /--admin-listen is given to the gateway twice/,
  ],
  ['examples without a listener', { examples: { dedicatedSidecar: true } }, /appListener.enabled is off/],
];

describeHelm('the chart refuses', () => {
  test.each(rows)('%s', async (title, values, why) => {
    const file = join(directory, `${title.replace(/\W/g, '-')}.yaml`);
    writeFileSync(file, stringify(values));
    const rendered = await render('--values', file);
    expect(rendered.ok ? 'it renders' : rendered.error).toMatch(why);
  });
  test('a release in capitals', async () => {
    const rendered = await renderAs('Doors');
    expect(rendered.ok ? 'it renders' : rendered.error).toMatch(/release's name begins every object's|invalid release name/);
  });
  test('everything that is wrong at once', async () => {
    const rendered = await render('--set', 'edge.enabled=true,image.tag=latest,etcd.tls.enabled=false');
    expect(rendered.ok ? [] : (rendered.error.match(/^ {2}- /gm) ?? [])).toHaveLength(3);
  });
  test('nothing of what the rows stand on', async () => {
    const file = join(directory, 'sound.yaml');
    writeFileSync(file, stringify(sound));
    expect(await render('--values', file)).toMatchObject({ ok: true });
  });
  test('nothing of the values that docs/kubernetes.md shows', async () => {
    const text = readFileSync(join(CHART, '../../../docs/kubernetes.md'), 'utf8');
    const shown = [...text.matchAll(/```yaml\n([^`]*)```/g)]
      .map(([, block = '']) => block)
      .filter((block) => block.includes('appListener:'));
    expect(shown).toHaveLength(1);
    const file = join(directory, 'docs.yaml');
    writeFileSync(file, shown.join(''));
    expect(await render('--values', file)).toMatchObject({ ok: true });
  });
});

test('every template shows in some scenario', () => {
  const shown = SCENARIOS.map((scenario) => readFileSync(goldenFile(scenario), 'utf8')).join('\n');
  for (const template of globSync('templates/*.yaml', { cwd: CHART }))
    if (!template.endsWith('refusals.yaml')) expect(shown).toContain(`# Source: sallyport/${template}`);
});

test('every refusal of the templates has its row', () => {
  const text = readFileSync(join(CHART, 'templates/refusals.yaml'), 'utf8');
  const messages = [...text.matchAll(/append \$why (?:\(printf )?"([^"]+)"/g)].map(([, message = '']) =>
    message.replace('%s', 'a'),
  );
  expect(messages.length).toBeGreaterThan(15);
  const rowless = messages.filter((message) => !rows.some(([, , why]) => why.test(message)));
  expect(rowless).toEqual([expect.stringMatching(/^the release's name/)]);
});
