import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialHash } from '@sallyport/driver';
import { spiffeId } from '@sallyport/model';
import { createAuthority, keepAuthority, keepCertificate } from '@sallyport/pki';
import { VERSION } from '@sallyport/process';
import { type EtcdMember, findEtcd, freePorts, INSTALL_ETCD, startEtcd } from '@sallyport/store/etcd-process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bundled, bundle, isReady, runBundle, startBundle } from './bundled.ts';

/** What an image holds beside Node: one file. Here each runs alone, and together they serve a request. */
const APPS = ['gateway', 'discovery', 'driver', 'edge', 'supervisor', 'boundary', 'cli'] as const;
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundles-'));
beforeAll(() => bundle(folder, APPS), 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(APPS)('%s says what it is with nothing else installed', async (app) => {
  const name = app === 'cli' ? 'sallyport' : app;
  expect(await runBundle(folder, app, '--version')).toBe(`${name} ${VERSION}\n`);
  expect(await runBundle(folder, app, '--help')).toMatch(new RegExp(`^Usage: ${name} `));
});

const etcdBinary = findEtcd(process.env.SALLYPORT_ETCD_BINARY, process.env.PATH);
const DOMAIN = 'apps.test';
const HOST = `team--demo--web.${DOMAIN}`;

describe.skipIf(etcdBinary === undefined)(`the bundles together (${INSTALL_ETCD})`, () => {
  const running: Bundled[] = [];
  const application = createServer((_request, response) => response.end('from the application'));
  let etcd: EtcdMember;
  let caPem: string;
  let edge: Bundled;
  const pki = join(folder, 'pki');
  const at = (file: string): string => join(pki, file);
  const internal = (app: string) => ({
    'internal-ca-file': at('internal-ca.crt'),
    'internal-cert-file': at(`${app}.crt`),
    'internal-key-file': at(`${app}.key`),
  });
  const put = (name: string, text: string): string => {
    writeFileSync(at(name), text, { mode: 0o600 });
    return at(name);
  };
  const listening = ({ announced }: Bundled, port: string): string => `127.0.0.1:${announced.listens[port]?.port}`;

  async function start(app: string, options: Readonly<Record<string, string>>): Promise<Bundled> {
    const started = await startBundle(folder, app, { ...internal(app), 'log-level': 'warn', ...options });
    running.push(started);
    await vi.waitUntil(() => isReady(started), { timeout: 110_000 });
    return started;
  }

  beforeAll(async () => {
    await runBundle(folder, 'cli', 'pki', 'files', pki, '--names', 'localhost');
    const [clientPort = 0, peerPort = 0, healthPort = 0] = await freePorts(3);
    mkdirSync(join(folder, 'etcd'));
    etcd = startEtcd({
      binary: etcdBinary as string,
      name: 'one',
      directory: join(folder, 'etcd'),
      clientPort,
      peerPort,
      healthPort,
      fsync: false,
    });
    await new Promise<void>((resolve) => void application.listen(0, '127.0.0.1', resolve));
    const port = (application.address() as AddressInfo).port;
    const now = new Date();
    const domainCa = await createAuthority({ commonName: 'apps', permittedDomains: [DOMAIN], days: 2, now });
    const issued = await domainCa.issue({ dnsNames: [`*.${DOMAIN}`], usages: ['server'], days: 1, now });
    caPem = domainCa.certPem;
    const credential = put('supervisor.token', 'a-token-that-the-driver-knows\n');
    const state = {
      workloads: [{ workspace: 'team', sandbox: 'demo', runtimeId: 'life-1' }],
      supervisors: [
        { uid: 'one', pool: 'shared', address: '127.0.0.1', credentialSha256: credentialHash('a-token-that-the-driver-knows') },
      ],
    };
    const driver = await start('driver', {
      'driver-listen': '127.0.0.1:0',
      'static-file': put('static.json', JSON.stringify(state)),
    });
    await etcd.ready();
    const store = { store: `etcd://${etcd.endpoint}` };
    const gateway = await start('gateway', {
      ...store,
      'operator-listen': '127.0.0.1:0',
      'supervisor-listen': '127.0.0.1:0',
      domain: DOMAIN,
      'default-pool': 'shared',
      driver: listening(driver, 'driver'),
      'signing-keys': at('signing-keys'),
    });
    const discovery = await start('discovery', {
      ...store,
      'discovery-listen': '127.0.0.1:0',
      'signing-keys': at('verify-keys'),
    });
    await start('supervisor', {
      gateway: listening(gateway, 'supervisor'),
      pool: 'shared',
      'credential-file': credential,
      'app-listen': '127.0.0.1:0',
      domain: DOMAIN,
      'app-cert-file': put('apps.crt', issued.certPem),
      'app-key-file': put('apps.key', issued.keyPem),
    });
    const token = async (file: string, ...args: string[]): Promise<string> =>
      put(file, await runBundle(folder, 'cli', 'pki', 'token', pki, ...args));
    const admin = await token('admin.token', '--principal', 'ada', '--role', 'admin');
    const reach = [
      '--gateway',
      `localhost:${gateway.announced.listens.operator?.port}`,
      '--token-file',
      admin,
      '--ca-file',
      at('internal-ca.crt'),
    ];
    await runBundle(folder, 'cli', 'grant', 'set', 'edge', 'team', ...reach);
    await runBundle(folder, 'cli', 'sandbox', 'register', 'team/demo', ...reach);
    await runBundle(folder, 'cli', 'service', 'expose', `team/demo/web=${port}`, '--no-wait', ...reach);
    edge = await start('edge', {
      'edge-listen': '127.0.0.1:0',
      discovery: listening(discovery, 'discovery'),
      'credential-file': await token('edge.token', '--principal', 'edge', '--role', 'reader'),
    });
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.end()));
    await etcd?.kill();
    application.close();
  });

  test('serve a request: client, edge, supervisor, application', async () => {
    const ask = (): Promise<string> =>
      new Promise((resolve) => {
        const { port } = edge.announced.listens.edge ?? { port: 0 };
        const asked = request(
          { host: '127.0.0.1', port, servername: HOST, headers: { host: HOST }, ca: caPem, agent: false },
          (response) => {
            let text = `${response.statusCode} `;
            response.on('data', (chunk: Buffer) => {
              text += chunk.toString();
            });
            response.on('end', () => resolve(text));
          },
        );
        asked.on('error', (error) => resolve(error.message));
        asked.end();
      });
    await expect.poll(ask).toBe('200 from the application');
  });

  test('a boundary is ready, and ends as it is asked to', async () => {
    const now = new Date();
    const ca = await keepAuthority(pki, 'internal-ca', {
      commonName: 'Sallyport internal CA',
      permittedTrustDomain: 'sallyport.local',
      days: 3_650,
      now,
    });
    await keepCertificate(pki, 'boundary', ca, {
      uris: [spiffeId('sallyport.local', 'boundary', 'life-1')],
      usages: ['server', 'client'],
      days: 1,
      now,
    });
    const boundary = await start('boundary', { 'boundary-listen': '127.0.0.1:0', 'verify-keys': at('verify-keys') });
    running.splice(running.indexOf(boundary), 1);
    expect(await boundary.end()).toBe(0);
  });
});
