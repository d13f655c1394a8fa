import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialHash } from '@sallyport/driver';
import { startTestCluster, type TestCluster } from '@sallyport/store/testing/etcd';
import { call, gatewayV1, type Link, openLink, openTlsFiles, type TlsSource, type UnaryMethod } from '@sallyport/wire';
import { type AppProcess, startApp } from './app-process.ts';
import { keepDriverFile } from './driver-file.ts';
import { DOMAIN, type Files, makePki, type Pki } from './pki.ts';
import { until } from './until.ts';

export const POOL = 'pool-1';
const ANY_PORT = '127.0.0.1:0';

export interface InstallationOptions {
  readonly etcdCount?: number;
  readonly gatewayCount?: number;
  readonly delivery?: 'push' | 'poll';
  readonly logLevel?: string;
}

/** A whole installation as real processes on a real etcd, with every handle that a fault needs. */
export interface Installation {
  readonly folder: string;
  readonly pki: Pki;
  readonly etcd: TestCluster;
  readonly gateways: readonly AppProcess[];
  readonly discovery: AppProcess;
  readonly driver: AppProcess;
  readonly supervisors: readonly AppProcess[];
  processes(): readonly AppProcess[];
  /** A supervisor that the driver knows, for the shared pool or another; it has joined when this resolves. */
  supervise(options?: {
    readonly pool?: string;
    readonly credential?: string;
    readonly listens?: boolean;
    readonly flags?: Readonly<Record<string, string>>;
  }): Promise<AppProcess>;
  /** An operator's call through one of the gateways, as admin. */
  ask<Request, Response>(method: UnaryMethod<Request, Response>, request: Request, gateway?: number): Promise<Response>;
  /** Registers a sandbox and exposes a service of it; resolves with its host once it is published. */
  serve(sandbox: string, appPort: number, dedicated?: boolean): Promise<Served>;
  state(host: string, gateway?: number): Promise<gatewayV1.Service | undefined>;
  readonly discoveryLink: Link;
  readonly adminToken: string;
  /** Ends everything; the folder stays if it is told to. */
  close(keepsFolder?: boolean): Promise<void>;
}

export interface Served {
  readonly host: string;
  readonly name: { readonly workspace: string; readonly sandbox: string };
  readonly poolId: string;
  readonly token: string;
}

const methods = gatewayV1.GatewayServiceService;

export async function startInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const { etcdCount = 1, gatewayCount = 2, delivery = 'push', logLevel = 'debug' } = options;
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-authority-'));
  const closing: (() => unknown)[] = [];
  const close = async (keepsFolder = false): Promise<void> => {
    for (const act of closing.splice(0).reverse()) await act();
    if (!keepsFolder) await rm(folder, { recursive: true, force: true });
  };
  try {
    return await begin();
  } catch (error) {
    await close();
    throw error;
  }

  async function begin(): Promise<Installation> {
    const pki = await makePki(join(folder, 'pki'));
    const etcd = await startTestCluster({ memberCount: etcdCount });
    closing.push(() => etcd.stop());
    const store = `etcd://${etcd.endpoints.join(',')}`;
    const adminToken = await pki.operatorToken({ kind: 'admin' });
    const all: AppProcess[] = [];
    closing.push(() => Promise.all(all.map((each) => each.kill())));

    async function start(name: string, app: string, given: Readonly<Record<string, string>>): Promise<AppProcess> {
      const files = await pki.internal(app);
      const common = { 'admin-listen': ANY_PORT, 'log-level': logLevel, drain: '3s', ...internal(files) };
      const started = await startApp({ name, app, options: { ...common, ...given }, folder });
      all.push(started);
      return started;
    }

    const known: { uid: string; pool: string; address: string; credentialSha256: string }[] = [];
    const staticFile = join(folder, 'driver-static.json');
    const tellDriver = keepDriverFile(staticFile, () => ({ workloads: [], supervisors: known }));
    await tellDriver();
    const driver = await start('driver', 'driver', { 'driver-listen': ANY_PORT, 'static-file': staticFile });
    const loopback = pki.loopback;
    const [discovery, ...gateways] = await Promise.all([
      start('discovery-1', 'discovery', {
        'discovery-listen': ANY_PORT,
        'signing-keys': pki.keysFolder,
        'discovery-cert-file': loopback.certFile,
        'discovery-key-file': loopback.keyFile,
        store,
      }),
      ...Array.from({ length: gatewayCount }, (_, index) =>
        start(`gateway-${index + 1}`, 'gateway', {
          'operator-listen': ANY_PORT,
          'supervisor-listen': ANY_PORT,
          domain: DOMAIN,
          'default-pool': POOL,
          driver: target(driver, 'driver'),
          'signing-keys': pki.keysFolder,
          'operator-cert-file': loopback.certFile,
          'operator-key-file': loopback.keyFile,
          store,
        }),
      ),
    ]);

    const trust = await openTlsFiles({ caFile: pki.caFile });
    if (!trust.ok) throw new Error(trust.error);
    closing.push(() => trust.value.close());
    const links = gateways.map((gateway) => linkTo(target(gateway, 'operator'), trust.value));
    const discoveryLink = linkTo(target(discovery, 'discovery'), trust.value);
    closing.push(() => [...links, discoveryLink].map((link) => link.close()));
    const supervisors: AppProcess[] = [];

    async function ask<Request, Response>(
      method: UnaryMethod<Request, Response>,
      request: Request,
      gateway = 0,
    ): Promise<Response> {
      const answer = await call(links[gateway] as Link, method, request, { deadlineMs: 30_000, bearer: adminToken });
      if (!answer.ok) throw new Error(`${method.path}: ${answer.error.kind}: ${answer.error.message}`);
      return answer.value;
    }

    const state = async (host: string, gateway = 0): Promise<gatewayV1.Service | undefined> =>
      (await ask(methods.listServices, { workspace: '', sandbox: '' }, gateway)).services.find((each) => each.host === host);

    return {
      folder,
      pki,
      etcd,
      gateways,
      discovery,
      driver,
      supervisors,
      processes: () => all,
      discoveryLink,
      adminToken,
      ask,
      state,
      close,
      async supervise({ pool = POOL, credential = randomBytes(24).toString('base64url'), listens = true, flags = {} } = {}) {
        const name = `supervisor-${supervisors.length + 1}`;
        const credentialFile = join(folder, `${name}.token`);
        await writeFile(credentialFile, credential);
        // A sandbox token proves itself.
        if (!credential.includes('.')) {
          known.push({ uid: name, pool, address: '127.0.0.1', credentialSha256: credentialHash(credential) });
          await tellDriver();
          // The driver looks at its file now and then.
          await new Promise((done) => setTimeout(done, 1_200));
        }
        const started = await start(name, 'supervisor', {
          gateway: gateways.map((gateway) => target(gateway, 'supervisor')).join(','),
          pool,
          capacity: '10000',
          'credential-file': credentialFile,
          delivery,
          ...flags,
          ...(listens
            ? {
                'app-listen': ANY_PORT,
                domain: DOMAIN,
                'app-cert-file': pki.apps.certFile,
                'app-key-file': pki.apps.keyFile,
              }
            : {}),
        });
        supervisors.push(started);
        await until(`${name} has joined`, () => isReady(started), 15_000);
        return started;
      },
      async serve(sandbox, appPort, dedicated = false) {
        const name = { workspace: 'team', sandbox };
        const mode = dedicated ? 1 : 2;
        const registered = await ask(methods.registerSandbox, {
          name,
          mode,
          poolId: dedicated ? '' : POOL,
          runtimeId: `run-${sandbox}`,
        });
        const exposed = await ask(methods.exposeService, { name: { ...name, service: 'web' }, port: appPort, policy: undefined });
        const host = exposed.service?.host ?? '';
        const poolId = registered.sandbox?.poolId ?? '';
        if (!dedicated) await until(`${host} is published`, async () => (await state(host))?.endpoint !== '', 30_000);
        return { host, name, poolId, token: registered.supervisorToken };
      },
    };
  }
}

export const target = (process: AppProcess, port: string): string => {
  const address = process.address(port);
  return `${address.host}:${address.port}`;
};

export const isReady = async (process: AppProcess): Promise<boolean> =>
  fetch(`http://127.0.0.1:${process.adminPort()}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

const linkTo = (to: string, tls: TlsSource): Link =>
  openLink({ target: to, tls, showsCertificate: false, server: { kind: 'host-name' } });

const internal = ({ caFile, certFile, keyFile }: Files): Record<string, string> => ({
  'internal-ca-file': caFile,
  'internal-cert-file': certFile,
  'internal-key-file': keyFile,
});
