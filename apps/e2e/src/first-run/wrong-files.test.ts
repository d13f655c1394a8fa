import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as boundary from '@sallyport/boundary';
import * as discovery from '@sallyport/discovery';
import * as driver from '@sallyport/driver';
import * as edge from '@sallyport/edge';
import * as gateway from '@sallyport/gateway';
import { createClock, type ProcessConfig } from '@sallyport/process';
import { createMemoryStore } from '@sallyport/store';
import * as supervisor from '@sallyport/supervisor';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOMAIN, makePki, type Pki } from '../authority/rig/pki.ts';
import { type AppEnded, runApp } from '../stack/run-app.ts';

/** Files that are there and are not what they should be: whoever starts an app is told which, in one line and without a stack. */
describe('a wrong file is named in one line', () => {
  let folder: string;
  let pki: Pki;
  let apps: ReturnType<typeof appsOf>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-wrong-files-'));
    pki = await makePki(join(folder, 'pki'));
    await writeFile(join(folder, 'wrong'), 'a text\n');
    await mkdir(join(folder, 'wrong-keys'));
    await writeFile(join(folder, 'wrong-keys', 'a.jwk'), 'a text\n');
    await writeFile(join(folder, 'token'), 'nobody');
    await writeFile(join(folder, 'workloads.json'), '{"workloads":[],"supervisors":[]}');
    apps = appsOf(folder, pki);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const rows: [app: AppName, option: string, file: 'wrong' | 'wrong-keys'][] = [
    ['supervisor', 'app-cert-file', 'wrong'],
    ['supervisor', 'app-key-file', 'wrong'],
    ['supervisor', 'app-client-ca-file', 'wrong'],
    ['supervisor', 'internal-ca-file', 'wrong'],
    ['supervisor', 'internal-key-file', 'wrong'],
    ['gateway', 'internal-cert-file', 'wrong'],
    ['gateway', 'operator-key-file', 'wrong'],
    ['gateway', 'signing-keys', 'wrong-keys'],
    ['discovery', 'internal-cert-file', 'wrong'],
    ['discovery', 'signing-keys', 'wrong-keys'],
    ['driver', 'internal-cert-file', 'wrong'],
    ['driver', 'static-file', 'wrong'],
    ['edge', 'internal-ca-file', 'wrong'],
    ['boundary', 'internal-cert-file', 'wrong'],
    ['boundary', 'verify-keys', 'wrong-keys'],
  ];
  test.each(rows)('%s --%s', async (name, option, file) => {
    const { options, start } = await apps[name]();
    const wrong = join(folder, file);
    const { code, said, logged } = await start({ ...options, [option]: wrong });
    expect({ code, lines: said.trimEnd().split('\n'), logged }).toEqual({
      code: 1,
      lines: [expect.stringContaining(wrong)],
      logged: '',
    });
    expect(said.startsWith(`${name}: `)).toBe(true);
  });
});

type AppName = 'supervisor' | 'gateway' | 'discovery' | 'driver' | 'edge' | 'boundary';

interface Ended {
  readonly code: number;
  /** To stderr, apart from the log. */
  readonly said: string;
  /** Errors and worse. */
  readonly logged: string;
}

interface App {
  readonly options: Readonly<Record<string, string>>;
  start(options: Readonly<Record<string, string>>): Promise<Ended>;
}

function appsOf(folder: string, pki: Pki): Readonly<Record<AppName, () => Promise<App>>> {
  const store = createMemoryStore({ clock: createClock() });
  const internal = async (app: string): Promise<Record<string, string>> => {
    const { caFile, certFile, keyFile } = await pki.internal(app);
    return { 'internal-ca-file': caFile, 'internal-cert-file': certFile, 'internal-key-file': keyFile };
  };
  return {
    supervisor: async () => ({
      start: (options) => ended('supervisor', supervisor.readConfig, supervisor.wire, options),
      options: {
        gateway: '127.0.0.1:1',
        pool: 'pool-1',
        'credential-file': join(folder, 'token'),
        'app-listen': '127.0.0.1:0',
        domain: DOMAIN,
        'app-cert-file': pki.apps.certFile,
        'app-key-file': pki.apps.keyFile,
        ...(await internal('supervisor')),
      },
    }),
    gateway: async () => ({
      start: (options) =>
        ended('gateway', gateway.readConfig, (config, of) => gateway.wire(config, of, { store: store.connect() }), options),
      options: {
        'operator-listen': '127.0.0.1:0',
        'supervisor-listen': '127.0.0.1:0',
        'operator-cert-file': pki.loopback.certFile,
        'operator-key-file': pki.loopback.keyFile,
        domain: DOMAIN,
        driver: '127.0.0.1:1',
        'signing-keys': pki.keysFolder,
        ...(await internal('gateway')),
      },
    }),
    discovery: async () => ({
      start: (options) =>
        ended('discovery', discovery.readConfig, (config, of) => discovery.wire(config, of, { store: store.connect() }), options),
      options: { 'discovery-listen': '127.0.0.1:0', 'signing-keys': pki.keysFolder, ...(await internal('discovery')) },
    }),
    driver: async () => ({
      start: (options) => ended('driver', driver.readConfig, driver.wire, options),
      options: {
        backend: 'static',
        'static-file': join(folder, 'workloads.json'),
        'driver-listen': '127.0.0.1:0',
        ...(await internal('driver')),
      },
    }),
    edge: async () => ({
      start: (options) => ended('edge', edge.readConfig, edge.wire, options),
      options: {
        'edge-listen': '127.0.0.1:0',
        discovery: '127.0.0.1:1',
        'credential-file': join(folder, 'token'),
        ...(await internal('edge')),
      },
    }),
    boundary: async () => ({
      start: (options) => ended('boundary', boundary.readConfig, boundary.wire, options),
      options: { 'boundary-listen': '127.0.0.1:0', 'verify-keys': pki.verifyKeysFolder, ...(await internal('boundary')) },
    }),
  };
}

/** One that starts is ended. */
function ended<C extends { readonly process: ProcessConfig }>(...given: Parameters<typeof runApp<C>>): Promise<AppEnded> {
  const app = runApp(...given);
  app.running.then(app.stop, () => undefined);
  return app.ended;
}
