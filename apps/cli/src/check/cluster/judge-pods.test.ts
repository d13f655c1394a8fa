import { type PodShape, podObject } from '@sallyport/kube/testing';
import { describe, expect, test } from 'vitest';
import { type DriverSettings, readDriverSettings, settingsByDefault } from './driver-settings.ts';
import { judgePods, PODS_SHOWN_MAX, unobserved } from './judge-pods.ts';

const SUPERVISORS = 'sallyport/sallyport-supervisor';
const settings = (change: Partial<DriverSettings> = {}): DriverSettings => ({
  ...settingsByDefault('sallyport', 'sallyport'),
  namespaces: [],
  ...change,
});

/** With the argument that names the port, as a manifest has it. */
function object(name: string, { args = [], ...shape }: PodShape & { readonly args?: readonly string[] }): unknown {
  const wanted = podObject(name, { uid: name, ...shape }) as unknown as {
    readonly metadata: object;
    readonly spec: { readonly containers: readonly object[] };
  };
  return {
    ...wanted,
    metadata: { ...wanted.metadata, resourceVersion: '1' },
    spec: { ...wanted.spec, containers: wanted.spec.containers.map((container) => ({ ...container, args })) },
  };
}
type Shapes = Readonly<Record<string, Parameters<typeof object>[1]>>;

function judge(shapes: Shapes, change: Partial<DriverSettings> = {}, slices: readonly unknown[] = []) {
  const pods = Object.entries(shapes).map(([name, shape]) => object(name, shape));
  const [sum, ...lines] = judgePods({ pods, slices }, settings(change));
  return {
    sum: sum?.detail,
    lines: lines.map(({ name, state, detail }) => `${state === 'holds' ? '+' : '-'} ${name}: ${detail}`),
  };
}

const box = { labels: { workspace: 'team', sandbox: 'demo' }, annotations: { services: 'web=80,8080' }, ips: ['10.0.0.9'] };
const sup = {
  labels: { pool: 'blue' },
  namespace: 'sallyport',
  serviceAccount: 'sallyport-supervisor',
  ips: ['10.0.0.7'],
  args: ['--pool=blue', '--app-listen=0.0.0.0:9999'],
};
const slice = (port: number) => ({
  metadata: {
    name: 's',
    uid: 's',
    resourceVersion: '1',
    namespace: 'sallyport',
    labels: { 'kubernetes.io/service-name': 'front' },
  },
  ports: [{ port }],
  endpoints: [{ addresses: ['10.0.0.7'], conditions: { ready: true }, targetRef: { uid: 'p' } }],
});
const served = { ...sup, annotations: { service: 'front' } };
const own = {
  ...box,
  labels: { ...box.labels, mode: 'dedicated' },
  namespace: 'sallyport',
  serviceAccount: 'own',
  args: ['--pool=dedicated:team:demo', '--app-listen=[::]:8443'],
};
const sidecar = { sidecars: true, accounts: ['sallyport/own'] };

describe('one Pod', () => {
  const rows: [
    title: string,
    shape: Shapes[string],
    change: Partial<DriverSettings>,
    line: string,
    slices?: readonly unknown[],
  ][] = [
    ['a sandbox', box, {}, '+ pod default/p: sandbox team/demo: web=80, (unnamed)=8080'],
    [
      'one with a boundary',
      { ...box, annotations: { services: 'web=80', boundary: '9443' }, ips: ['fd00::9'] },
      {},
      '+ pod default/p: sandbox team/demo: web=80, boundary at [fd00::9]:9443',
    ],
    ['one without services', { ...box, annotations: {} }, {}, '+ pod default/p: sandbox team/demo: declares no service'],
    [
      'one with its own supervisor',
      own,
      sidecar,
      '+ pod sallyport/p: sandbox team/demo: web=80, (unnamed)=8080; supervisor of pool dedicated:team:demo, reached at 10.0.0.9:8443',
    ],
    ['a supervisor', sup, {}, '+ pod sallyport/p: supervisor of pool blue, reached at 10.0.0.7:9999'],
    [
      'one whose listener is off',
      { ...sup, args: ['--pool=blue'] },
      {},
      '+ pod sallyport/p: supervisor of pool blue, its application listener is off',
    ],
    [
      'one behind its Service',
      served,
      { endpointSlices: true },
      '+ pod sallyport/p: supervisor of pool blue, reached at 10.0.0.7:9999',
      [slice(9999)],
    ],
    ['refused: one that is not ready', { ...box, ready: false }, {}, '- pod default/p: sandbox team/demo: the Pod is not ready'],
    [
      'refused: nonsense in an annotation',
      { ...box, annotations: { services: 'web' } },
      {},
      '- pod default/p: sandbox team/demo: sallyport.dev/services: "web" is not name=port',
    ],
    ['refused: no workspace', { labels: { sandbox: 'demo' } }, {}, '- pod default/p: sallyport.dev/workspace is missing'],
    [
      'refused: its own supervisor under another account',
      { ...own, serviceAccount: 'default' },
      sidecar,
      '- pod sallyport/p: sandbox team/demo: runs as sallyport/default, which is no account of supervisors',
    ],
    [
      'refused: a supervisor that anybody runs',
      { ...sup, serviceAccount: 'default' },
      {},
      '- pod sallyport/p: runs as sallyport/default, which is no account of supervisors',
    ],
    [
      'refused: a supervisor without an address',
      { ...sup, ips: [] },
      {},
      '- pod sallyport/p: supervisor of pool blue: Pod sallyport/p has no address',
    ],
    [
      'refused: one on the network of its node',
      { ...sup, hostNetwork: true },
      {},
      "- pod sallyport/p: supervisor of pool blue: Pod sallyport/p is on its node's network: its address is not its own",
    ],
    [
      'refused: one behind a Service that no driver observes',
      served,
      {},
      '- pod sallyport/p: supervisor of pool blue: Pod sallyport/p: sallyport.dev/service needs a driver with --endpoint-slices',
    ],
    [
      'refused: one behind a Service of another port',
      served,
      { endpointSlices: true },
      '- pod sallyport/p: supervisor of pool blue: Pod sallyport/p: its Service has no port 9999',
      [slice(8443)],
    ],
  ];
  test.each(rows)('%s', (_title, shape, change, line, slices) =>
    expect(judge({ p: shape as never }, change, slices).lines).toEqual([line]),
  );

  test.each([
    ['says nothing of ours', { ips: ['10.0.0.9'] }],
    ['has ended', { ...box, phase: 'Succeeded' }],
    ['is being deleted', { ...box, deleting: true }],
  ])('that %s has no line', (_title, shape) => expect(judge({ p: shape }).lines).toEqual([]));
});

test('a name that two claim is served for neither, an address that two have leads to neither', () => {
  expect(judge({ a: box, b: { ...box, ips: ['10.0.0.8'] } }).lines).toEqual(
    ['a', 'b'].map((name) => expect.stringMatching(`^- pod default/${name}: sandbox team/demo: 2 Pods claim team/demo`)),
  );
  expect(judge({ a: sup, b: { ips: ['10.0.0.7'] } }).lines).toEqual([
    '- pod sallyport/a: supervisor of pool blue: 10.0.0.7 is claimed by several Pods that live',
  ]);
});
test('of many, those that fail are shown first, and it is said how many are not', () => {
  const shapes = Object.fromEntries(
    Array.from({ length: PODS_SHOWN_MAX + 5 }, (_, n) => [`p${n}`, { ...box, labels: { workspace: 'team', sandbox: `s${n}` } }]),
  );
  const { sum, lines } = judge({ ...shapes, bad: { labels: { sandbox: 'x' } } });
  expect(sum).toBe(
    `${PODS_SHOWN_MAX + 6} with labels or annotations of ours: sandboxes ${PODS_SHOWN_MAX + 5}, supervisors 0, neither 1; 6 of them are not shown`,
  );
  expect([lines.length, lines[0]]).toEqual([PODS_SHOWN_MAX, expect.stringMatching(/^- pod default\/bad/)]);
});
test('sandboxes where no driver looks', () => {
  const pods = [object('a', { namespace: 'one' }), object('b', { namespace: 'two' }), {}];
  expect(unobserved(pods, settings({ namespaces: ['one'] }))).toEqual(['two/b']);
  expect(unobserved(pods, settings())).toEqual([]);
});

describe('the settings of a driver', () => {
  const none = { namespaces: [], accounts: [], sidecars: false, workspaceIsNamespace: false, endpointSlices: false };
  const rows: [given: string[], want: object][] = [
    [[], { ...none, prefer: 'ipv4', appEndpoints: true }],
    [
      ['--namespace=a', '--namespace=b', `--supervisor-account=${SUPERVISORS}`],
      { namespaces: ['a', 'b'], accounts: [SUPERVISORS] },
    ],
    [['--sidecar-supervisors', '--endpoint-slices', '--workspace-is-namespace'], { sidecars: true, endpointSlices: true }],
    [['--app-endpoints=off', '--prefer-family=ipv6'], { appEndpoints: false, prefer: 'ipv6' }],
    [['--namespaces=a', '--sidecar'], none],
  ];
  test.each(rows)('%j', (given, want) => expect(readDriverSettings(given)).toMatchObject(want));
});
