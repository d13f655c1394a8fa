import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseStaticState } from '@sallyport/driver/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { APPS, type AppName } from './objects.ts';
import { readArguments } from './readers.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/compose');

/** With the variables as they are when nobody sets them; Compose merges `<<` as YAML 1.1 does. */
const text = readFileSync(join(FOLDER, 'compose.yaml'), 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
const { services, networks } = parse(text, { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  networks: { inner: { ipam: { config: readonly { subnet: string; ip_range: string }[] } } };
};

/** What `prepare` makes, made here by the same script. */
const state = mkdtempSync(join(tmpdir(), 'sallyport-compose-'));
afterAll(() => rmSync(state, { recursive: true, force: true }));
const prepare = (): void =>
  void execFileSync(process.execPath, ['--conditions=@sallyport/source', join(FOLDER, 'prepare.mjs')], {
    env: { SALLYPORT_STATE: state, SALLYPORT_CLI: join(ROOT, 'apps/cli/src/main.ts') },
  });
prepare();

const rows = Object.entries(services).flatMap(([name, service]) => {
  const app = APPS.find((each) => service.image === `sallyport-${each}:0.1.0`);
  return app === undefined || service.command === undefined ? [] : [{ name, app, service, command: service.command }];
});

describe.each(rows)('$name', ({ app, service, command }) => {
  const read = readArguments(
    app as AppName,
    command.map((argument) => argument.replaceAll('=/state/', `=${state}/`)),
  );
  test('is understood by the app’s own reader', () => expect(read.problems).toEqual([]));
  test('calls services that are there', () => {
    for (const target of read.dials) expect(Object.keys(services)).toContain(target.split(':')[0]);
  });
  test('may nothing, and writes nothing', () => expect(service).toMatchObject({ cap_drop: ['ALL'], read_only: true }));
  test('is asked for its health where it answers', () => {
    if (service.healthcheck === undefined) return;
    expect(service.healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${read.config?.process.adminListen.port}/readyz`);
  });
});

test('all apps of the system are there', () =>
  expect([...new Set(rows.map(({ app }) => app))].sort()).toEqual(['discovery', 'driver', 'edge', 'gateway', 'supervisor']));

test('only the edge can be reached from outside', () => {
  const open = Object.entries(services).filter(
    ([, { ports, networks }]) => ports !== undefined || (Array.isArray(networks) && networks.includes('outer')),
  );
  expect(open.map(([name]) => name)).toEqual(['edge']);
});

const fixedAddress = (): string => {
  const { inner } = (services.supervisor?.networks ?? {}) as Readonly<Record<string, { readonly ipv4_address: string }>>;
  if (inner === undefined) throw new Error('the supervisor has no address of its own');
  return inner.ipv4_address;
};

test('nobody else is given the supervisor’s address', () => {
  expect(networks.inner.ipam.config).toEqual([{ subnet: '172.31.77.0/24', ip_range: '172.31.77.128/25' }]);
  expect(fixedAddress()).toMatch(/^172\.31\.77\.\d{1,2}$/);
});

test('what the driver is told fits the rest: the supervisor’s address, its token, the application', () => {
  const known = parseStaticState(readFileSync(join(state, 'static.json'), 'utf8'));
  if (!known.ok) throw new Error(known.error);
  expect(known.value.supervisors).toMatchObject([{ poolId: 'shared', address: fixedAddress() }]);
  expect(known.value.workloads).toMatchObject([
    { workspace: 'team', sandbox: 'demo', services: [{ service: 'web', port: 8080 }] },
  ]);
});

test('preparing again changes no secret, and secrets are their user’s alone', () => {
  const secrets = [
    'supervisor.token',
    'admin.token',
    'edge.token',
    'pki/signing-keys/0001.jwk',
    'pki/gateway.key',
    'static.json',
  ];
  const contents = (): string[] => secrets.map((file) => readFileSync(join(state, file), 'utf8'));
  const before = contents();
  prepare();
  expect(contents()).toEqual(before);
  for (const file of secrets) expect((statSync(join(state, file)).mode & 0o777).toString(8), file).toBe('600');
  expect(existsSync(join(state, 'pki/apps-ca.crt'))).toBe(true);
});
