import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '@sallyport/cli';
import { afterAll, describe, expect, test } from 'vitest';
import { NAMESPACE, RELEASE, SCENARIOS } from './helm.ts';
import { appOf, type KubeObject, objectsOf, type Pods, podsOf } from './objects.ts';
import { readContainer } from './readers.ts';

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly publishNotReadyAddresses?: boolean;
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly { readonly port: number; readonly targetPort: number }[];
}

const servicesIn = (objects: readonly KubeObject[]) =>
  objects
    .filter(({ kind }) => kind === 'Service')
    .map(({ metadata, spec }) => ({ metadata, spec: spec as unknown as ServiceSpec }));

const selects = (selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

const listensOn = ({ spec }: Pods, port: number): boolean =>
  spec.containers.some(({ ports = [] }) => ports.some(({ containerPort }) => containerPort === port));

/** What a name leads to inside the cluster: one of ours that listens there, or why not. */
function follow(objects: readonly KubeObject[], target: string): string {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(target) ?? [];
  const pods = podsOf(objects);
  const parts = host.split('.');
  // A Pod of a StatefulSet has a name of its own, below that of its headless Service.
  const isPod = /-\d+$/.test(parts[0] ?? '');
  const [podName, serviceName, namespace = NAMESPACE] = isPod ? parts : ['', ...parts];
  const service = servicesIn(objects).find(({ metadata }) => metadata.name === serviceName && metadata.namespace === namespace);
  const via = service?.spec.ports.find((each) => each.port === Number(port));
  if (service === undefined || via === undefined) return `${target}: no such Service`;
  const behind = pods.find((each) => selects(service.spec.selector, each.labels) && listensOn(each, via.targetPort));
  if (behind === undefined) return `${target}: nobody behind it listens`;
  if (isPod && service.spec.clusterIP !== 'None') return `${target}: its Service gives Pods no names`;
  const number = Number(/\d+$/.exec(podName ?? '')?.[0]);
  if (isPod && !(podName === `${behind.name}-${number}` && number < behind.replicas)) return `${target}: no such Pod`;
  return behind.name;
}

describe.each(SCENARIOS)('%s', (scenario) => {
  const objects = objectsOf(scenario);
  const bundled = podsOf(objects).some(({ name }) => name === 'sallyport-etcd') ? ['sallyport-etcd'] : [];
  test('what our processes call is there and listens', () => {
    for (const { name, spec } of podsOf(objects))
      for (const container of spec.containers) {
        const app = appOf(container);
        if (app === undefined) continue;
        const found = readContainer(app, spec, container)
          .dials.filter((target) => target.startsWith(RELEASE))
          .map((target) => follow(objects, target));
        const want = {
          gateway: ['sallyport-driver', ...bundled],
          discovery: bundled,
          edge: ['sallyport-discovery'],
          supervisor: Array.from(
            { length: podsOf(objects).find((each) => each.name === 'sallyport-gateway')?.replicas ?? 0 },
            () => 'sallyport-gateway',
          ),
          driver: [],
          boundary: [],
        }[app];
        expect(found, `${name}/${container.name}`).toEqual(want);
      }
  });
  test('no Service leads to shared supervisors', () => {
    const shared = podsOf(objects).filter(({ labels }) => labels['sallyport.dev/pool'] !== undefined);
    for (const { metadata, spec } of servicesIn(objects))
      for (const { name, labels } of shared) expect(selects(spec.selector, labels), `${metadata.name} → ${name}`).toBe(false);
  });
  test('every object that selects Pods selects its own and no other’s', () => {
    const pods = podsOf(objects);
    for (const { name, selector } of pods)
      expect(pods.filter(({ labels }) => selects(selector, labels)).map((each) => each.name)).toEqual([name]);
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'PodDisruptionBudget')) {
      const { selector, maxUnavailable } = spec as unknown as {
        selector: { matchLabels: Record<string, string> };
        maxUnavailable: number;
      };
      expect(maxUnavailable).toBe(1);
      expect(pods.filter(({ labels }) => selects(selector.matchLabels, labels)).map(({ name }) => name)).toEqual([metadata.name]);
    }
  });
  test('every object says its namespace, but for those of the cluster', () => {
    for (const { kind, metadata } of objects)
      expect(metadata.namespace === undefined, `${kind} ${metadata.name}`).toBe(kind.startsWith('Cluster'));
  });
});

test('Services of dedicated sandboxes lead to the listener of their Pod', () => {
  const objects = objectsOf('dedicated');
  expect(follow(objects, 'own:443')).toBe('sallyport-example-dedicated');
  expect(servicesIn(objects).find(({ metadata }) => metadata.name === 'notebook')?.metadata.namespace).toBe('team');
});

describe('Secrets', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-secrets-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Names of what `sallyport pki secrets` makes, with the keys of each. */
  async function made(...options: string[]): Promise<Map<string, readonly string[]>> {
    let out = '';
    const code = await execute({
      argv: ['pki', 'secrets', join(directory, 'pki'), '--release', RELEASE, '--namespace', NAMESPACE, ...options],
      env: {},
      cwd: directory,
      stdout(text) {
        out += text;
      },
      stderr: () => undefined,
      signal: new AbortController().signal,
    });
    expect(code).toBe(0);
    const { items } = JSON.parse(out) as { items: { metadata: { name: string; namespace: string }; data: object }[] };
    return new Map(items.map(({ metadata, data }) => [metadata.name, Object.keys(data)]));
  }

  const used = (scenario: string): Set<string> =>
    new Set(
      podsOf(objectsOf(scenario)).flatMap(({ spec }) =>
        (spec.volumes ?? []).flatMap(({ secret, configMap }) =>
          [secret?.secretName, configMap?.name].filter((name) => name !== undefined),
        ),
      ),
    );

  test('are all made by one command, but for those of etcd, of the edge and of the domain', async () => {
    const known = await made();
    const missing = [...used('default')].filter((name) => !known.has(name));
    expect(missing).toEqual(['sallyport-etcd-client']);
    expect([...used('trial')].filter((name) => !known.has(name)).sort()).toEqual(['sallyport-edge-token', 'wildcard']);
  });

  test('and with cert-manager by its Certificates', async () => {
    const asked = objectsOf('edge')
      .filter(({ kind }) => kind === 'Certificate')
      .map(({ spec }) => (spec as { secretName: string }).secretName);
    const known = new Set([...asked, ...(await made('--signing-keys-only')).keys()]);
    expect([...used('edge')].filter((name) => !known.has(name)).sort()).toEqual([
      'sallyport-edge-token',
      'sallyport-etcd-client',
    ]);
    const identities = objectsOf('edge').flatMap(({ kind, spec }) =>
      kind === 'Certificate' ? ((spec as { uris?: string[] }).uris ?? []) : [],
    );
    expect(identities).toEqual(
      ['gateway', 'supervisor', 'driver', 'discovery', 'edge'].map((app) => `spiffe://acme.test/${app}/sallyport`),
    );
  });
});
