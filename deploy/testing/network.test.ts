import { describe, expect, test } from 'vitest';
import { NAMESPACE, SCENARIOS } from './helm.ts';
import { mayReach, type Party, type Policy, policiesOf } from './network.ts';
import { objectsOf, podsOf } from './objects.ts';

/** Everybody in and around an installation that may try: sandboxes, other people's Pods, and the world. */
const sandbox = (name: string, namespace: string, labels: Record<string, string> = {}): Party => ({
  name,
  namespace,
  labels: { 'sallyport.dev/workspace': 'team', 'sallyport.dev/sandbox': 'demo', ...labels },
});
const strangers: readonly Party[] = [
  { name: 'pod', namespace: 'elsewhere', labels: {} },
  { name: 'pod-here', namespace: NAMESPACE, labels: {} },
  // Calls itself our edge, in a namespace that is not ours.
  {
    name: 'impostor',
    namespace: 'elsewhere',
    labels: {
      'app.kubernetes.io/name': 'sallyport',
      'app.kubernetes.io/instance': 'sallyport',
      'app.kubernetes.io/component': 'edge',
    },
  },
  { name: 'ingress', namespace: 'ingress', labels: { app: 'ingress' } },
  { name: 'ingress-neighbour', namespace: 'ingress', labels: {} },
  { name: 'prometheus', namespace: 'monitoring', labels: {} },
  { name: 'office', ip: '10.1.2.3' },
  { name: 'kitchen', ip: '10.1.9.3' },
  { name: 'world', ip: '192.0.2.1' },
];
const everybodyElse = 'sandbox dedicated pod pod-here impostor ingress ingress-neighbour prometheus office kitchen world';

function openScenario(scenario: string, sandboxes: string) {
  const objects = objectsOf(scenario);
  const policies = policiesOf(objects);
  const pods = podsOf(objects).filter(({ name }) => !name.includes('example'));
  const short = (name: string): string => name.replace('sallyport-', '');
  const ours: readonly Party[] = pods.map(({ name, namespace, labels }) => ({ name: short(name), namespace, labels }));
  const dedicated = sandbox('dedicated', sandboxes, { 'sallyport.dev/mode': 'dedicated' });
  const parties = [...ours, sandbox('sandbox', sandboxes), dedicated, ...strangers];
  /** All that our containers declare; of sandboxes what they might have: a boundary, a supervisor, the application's own port. */
  const ports = new Map<string, readonly number[]>([
    ['sandbox', [9443, 9999, 9107, 8080]],
    ['dedicated', [8443, 9000, 9101, 8080]],
  ]);
  for (const { name, spec } of pods)
    ports.set(
      short(name),
      spec.containers.flatMap((each) => each.ports ?? []).map(({ containerPort }) => containerPort),
    );

  /** Who of these may open a connection there. */
  const coming = (to: Party, port: number, who: readonly Party[] = parties): string =>
    who
      .filter((from) => from !== to && mayReach(policies, from, to, port))
      .map(({ name }) => name)
      .join(' ');

  return {
    /** Whatever is allowed, as `to:port` and who; what is not in it is refused. */
    allowed(): Record<string, string> {
      const found: Record<string, string> = {};
      for (const to of parties)
        for (const port of ports.get(to.name) ?? []) {
          const who = coming(to, port);
          if (who !== '') found[`${to.name}:${port}`] = who;
        }
      return found;
    },
    /** Which of our own Pods may go there. */
    going: (to: Party, port: number): string => coming(to, port, ours),
  };
}

const tables: readonly [scenario: string, sandboxes: string, table: Record<string, string>][] = [
  ['default', NAMESPACE, { 'driver:7445': 'gateway', 'gateway:7444': 'supervisor-shared', 'sandbox:9443': 'supervisor-shared' }],
  [
    'edge',
    'team',
    {
      'discovery:7446': 'edge',
      'driver:7445': 'gateway',
      'edge:8443': everybodyElse,
      'gateway:7444': 'dedicated-notebook supervisor-blue supervisor-green',
      'supervisor-blue:8443': 'edge',
      'supervisor-green:8443': 'edge',
      'dedicated-notebook:8443': 'edge',
      'sandbox:9443': 'dedicated-notebook supervisor-blue supervisor-green',
      'dedicated:8443': 'edge',
    },
  ],
  [
    'ingress',
    NAMESPACE,
    {
      'discovery:7446': 'ingress ingress-neighbour',
      'driver:7445': 'gateway',
      'gateway:7443': 'office',
      'gateway:7444': 'supervisor-shared',
      'supervisor-shared:9000': 'ingress',
      'sandbox:9999': 'supervisor-shared',
      'dedicated:9000': 'ingress',
      'discovery:9104': 'prometheus',
      'driver:9103': 'prometheus',
      'gateway:9102': 'prometheus',
      'supervisor-shared:9101': 'prometheus',
    },
  ],
  ['dedicated', 'team', { 'driver:7445': 'gateway', 'gateway:7444': 'dedicated', 'dedicated:8443': 'ingress ingress-neighbour' }],
  [
    'kind',
    NAMESPACE,
    {
      'discovery:7446': 'edge',
      'driver:7445': 'gateway',
      'edge:8443': everybodyElse,
      'etcd:2379': 'discovery gateway',
      'gateway:7444': 'supervisor-shared dedicated',
      'supervisor-shared:8443': 'edge',
      'sandbox:9443': 'supervisor-shared',
      'dedicated:8443': 'edge',
    },
  ],
  [
    'trial',
    NAMESPACE,
    {
      'discovery:7446': 'edge',
      'driver:7445': 'gateway',
      'edge:8443': everybodyElse,
      'etcd:2379': 'discovery gateway',
      'gateway:7444': 'supervisor-shared',
      'supervisor-shared:8443': 'edge',
      'sandbox:9443': 'supervisor-shared',
      'dedicated:8443': 'edge',
    },
  ],
];

describe.each(tables)('%s', (scenario, sandboxes, table) => {
  const { allowed, going } = openScenario(scenario, sandboxes);
  test('allows what its table says, and nothing else', () => expect(allowed()).toEqual(table));
  test('lets gateways and discovery alone go to an etcd elsewhere', () => {
    const etcd: Party = { name: 'etcd', namespace: 'store', labels: {} };
    expect(going(etcd, 2379)).toBe(table['etcd:2379'] !== undefined ? '' : 'discovery gateway');
  });
  test('lets the driver alone go to the API server', () =>
    expect(going({ name: 'api-server', ip: '172.16.0.1' }, 6443)).toBe('driver'));
  test('lets nobody of ours out into the world', () => expect(going({ name: 'world', ip: '192.0.2.1' }, 80)).toBe(''));
});

test('keys of another issuer are fetched by discovery alone, from the port of their URL', () => {
  const { going } = openScenario('ingress', NAMESPACE);
  expect(going({ name: 'issuer', ip: '192.0.2.9' }, 8444)).toBe('discovery');
});

test('a sandbox whose own supervisor is in another Pod is reached by its boundary alone', () => {
  const objects = objectsOf('edge');
  const policies = policiesOf(objects);
  const party = (name: string): Party => {
    const found = podsOf(objects).find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const [supervisor, apart] = [party('sallyport-dedicated-example'), party('sallyport-example-apart')];
  expect(mayReach(policies, supervisor, apart, 9443)).toBe(true);
  for (const port of [8080, 8443, 9107]) expect(mayReach(policies, supervisor, apart, port), `${port}`).toBe(false);
  for (const name of ['edge', 'gateway', 'example-shared'])
    expect(mayReach(policies, party(`sallyport-${name}`), apart, 9443), name).toBe(false);
});

test('every scenario with NetworkPolicies has its table', () => {
  const guarded = SCENARIOS.filter((scenario) => policiesOf(objectsOf(scenario)).length > 0);
  expect(guarded.sort()).toEqual(tables.map(([scenario]) => scenario).sort());
});

describe('a policy', () => {
  const policy = (rule: object): Policy[] => [{ namespace: 'a', podSelector: {}, policyTypes: ['Ingress'], ingress: [rule] }];
  const from: Party = { name: 'from', namespace: 'b', labels: { app: 'x' }, ip: '10.0.1.5' };
  const to: Party = { name: 'to', namespace: 'a', labels: {} };
  const rows: [title: string, rule: object, want: boolean][] = [
    ['without peers lets anybody in', { ports: [{ port: 1 }] }, true],
    ['of another port lets nobody in', { ports: [{ port: 2 }] }, false],
    ['of another protocol lets nobody in', { ports: [{ port: 1, protocol: 'UDP' }] }, false],
    ['that names Pods means its own namespace', { from: [{ podSelector: {} }] }, false],
    ['of any namespace', { from: [{ namespaceSelector: {} }] }, true],
    [
      'of a namespace and a label: both',
      { from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'y' } } }] },
      false,
    ],
    ['of an address', { from: [{ ipBlock: { cidr: '10.0.0.0/16' } }] }, true],
    ['of an address that is left out', { from: [{ ipBlock: { cidr: '10.0.0.0/16', except: ['10.0.1.0/24'] } }] }, false],
    [
      'of a label that is not there',
      { from: [{ namespaceSelector: {}, podSelector: { matchExpressions: [{ key: 'z', operator: 'NotIn', values: ['1'] }] } }] },
      true,
    ],
  ];
  test.each(rows)('%s', (_title, rule, want) => expect(mayReach(policy(rule), from, to, 1)).toBe(want));
  test('that selects a Pod and has no rule lets nobody in', () =>
    expect(mayReach([{ namespace: 'a', podSelector: {}, policyTypes: ['Ingress'] }], from, to, 1)).toBe(false));
});
