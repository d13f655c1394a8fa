import { createMetrics, startAdmin } from '@sallyport/process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCENARIOS } from './helm.ts';
import { appOf, type Container, objectsOf, podsOf } from './objects.ts';
import { type Read, readContainer } from './readers.ts';

/** After its drain a process may still take this long to close. */
const CLOSING_SECONDS = 2;

const rows = SCENARIOS.flatMap((scenario) =>
  podsOf(objectsOf(scenario)).flatMap((pods) =>
    pods.spec.containers.flatMap((container) => {
      const app = appOf(container);
      return app === undefined ? [] : [{ title: `${scenario}: ${app} of ${pods.name}`, scenario, pods, container, app }];
    }),
  ),
);

/** The admin port as each app serves it. */
let admin: Awaited<ReturnType<typeof startAdmin>>;
beforeAll(async () => {
  admin = await startAdmin({
    address: { host: '127.0.0.1', port: 0 },
    metrics: createMetrics(),
    ready: () => [{ name: 'ready', ok: true }],
  });
});
afterAll(() => admin.close());

const byNumber = (a: number, b: number): number => a - b;
const portsOf = ({ ports = [] }: Container): number[] => ports.map(({ containerPort }) => containerPort).sort(byNumber);

describe.each(rows)('$title', ({ pods, container, app }) => {
  const { spec } = pods;
  const read: Read = readContainer(app, spec, container);
  test('is understood by the app’s own reader', () => expect(read.problems).toEqual([]));
  test('declares the ports that it listens on, on all addresses', () => {
    const listens = [...read.listens, ...(read.config === undefined ? [] : [read.config.process.adminListen])];
    expect(portsOf(container)).toEqual(listens.map(({ port }) => port).sort(byNumber));
    for (const { host } of listens) expect(['0.0.0.0', '::']).toContain(host);
  });
  test('is probed where it answers', async () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      expect(probe?.httpGet?.port).toBe(read.config?.process.adminListen.port);
      const { status } = await fetch(`http://127.0.0.1:${admin.address.port}${probe?.httpGet?.path}`);
      expect(status).toBe(200);
    }
    expect([livenessProbe?.httpGet?.path, readinessProbe?.httpGet?.path]).toEqual(['/livez', '/readyz']);
  });
  test('may take its drain before it is killed', () => {
    const { drainMs = Number.NaN } = read.config?.process ?? {};
    expect(spec.terminationGracePeriodSeconds ?? 30).toBeGreaterThan(drainMs / 1_000 + CLOSING_SECONDS);
  });
  test('mounts what it names and nothing else, whole, and cannot write to it', () => {
    const { args = [], volumeMounts = [] } = container;
    const named = args.flatMap((argument) => /=(\/var\/run\/sallyport\/[a-z-]+)/.exec(argument)?.[1] ?? []);
    expect([...new Set(named)].sort()).toEqual(volumeMounts.map(({ mountPath }) => mountPath).sort());
    for (const mount of volumeMounts) expect(mount).toMatchObject({ readOnly: true });
    for (const mount of volumeMounts) expect(mount).not.toHaveProperty('subPath');
  });
  test('is nobody, and may nothing', () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.hostNetwork).toBeUndefined();
  });
  test('reads secrets that its group may read, and nobody else', () => {
    for (const { secret } of spec.volumes ?? []) expect(secret?.defaultMode ?? 0o440).toBe(0o440);
  });
});

describe.each(SCENARIOS)('%s', (scenario) => {
  const pods = podsOf(objectsOf(scenario));
  test('only the driver can call the API server', () => {
    const callers = pods.filter(({ spec }) => spec.automountServiceAccountToken !== false).map(({ name }) => name);
    expect(callers).toEqual(['sallyport-driver']);
  });
  test('only supervisors have a token, for gateways alone', () => {
    for (const { spec } of pods) {
      const audiences = (spec.volumes ?? [])
        .flatMap(({ projected }) => projected?.sources ?? [])
        .map((each) => each.serviceAccountToken.audience);
      const mounting = spec.containers.filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === 'token'));
      expect(mounting.map(({ name }) => name)).toEqual(audiences.map(() => 'supervisor'));
      expect(audiences.filter((audience) => audience !== 'sallyport-gateway')).toEqual([]);
    }
  });
  test('only gateways hold private signing keys', () => {
    const holding = pods.filter(({ spec }) => spec.volumes?.some(({ name }) => name === 'signing-keys')).map(({ name }) => name);
    expect(holding).toEqual(['sallyport-gateway']);
  });
  test('only gateways and discovery can reach the store', () => {
    const reaching = rows.filter(
      (row) => row.scenario === scenario && row.container.args?.some((argument) => argument.startsWith('--store=')),
    );
    expect([...new Set(reaching.map(({ app }) => app))].sort()).toEqual(['discovery', 'gateway']);
  });
});

test('with default values nothing has a listener for applications', () => {
  const supervisors = rows.filter(({ scenario, app }) => scenario === 'default' && app === 'supervisor');
  expect(supervisors.length).toBeGreaterThan(0);
  for (const { container, pods } of supervisors) {
    expect(readContainer('supervisor', pods.spec, container).listens).toEqual([]);
    expect(portsOf(container)).toEqual([9101]);
  }
  expect(JSON.stringify(objectsOf('default'))).not.toMatch(/app-listen|app-cert|8443/);
});
