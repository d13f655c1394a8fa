import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialHash } from '@sallyport/driver';
import { startTestCluster, type TestCluster } from '@sallyport/store/testing/etcd';
import type { Link, UnaryMethod } from '@sallyport/wire';
import { type AppProcess, startApp } from '../../authority/rig/app-process.ts';
import { keepDriverFile } from '../../authority/rig/driver-file.ts';
import { DOMAIN, makePki, type Pki } from '../../authority/rig/pki.ts';
import { type Application, startApplication } from './application.ts';
import type { SandboxFacts } from './evidence.ts';
import { createNetwork, type Network } from './network.ts';
import { openOperator, POOL, type Registered, WORKSPACE } from './operator.ts';
import { type StoreWatch, watchStore } from './store-watch.ts';
import { createSupervise, type Supervisor } from './supervisors.ts';

const ANY_PORT = '127.0.0.1:0';

export interface SandboxWanted {
  readonly name: string;
  readonly mode: 'shared' | 'dedicated';
  readonly hasBoundary: boolean;
  /** Of its own supervisor. */
  readonly delivery?: 'push' | 'poll';
}

/** Who guards it, its application and its boundary. */
export interface Sandbox extends SandboxFacts {
  readonly host: string;
  readonly application: Application;
  readonly boundary: AppProcess | undefined;
}

/** Every service as a process of its own, every connection through a network that can break, every workload with a memory. */
export interface Installation {
  readonly folder: string;
  readonly pki: Pki;
  readonly etcd: TestCluster;
  readonly network: Network;
  readonly gateways: readonly AppProcess[];
  readonly driver: AppProcess;
  readonly discovery: AppProcess;
  readonly supervisors: ReadonlyMap<string, Supervisor>;
  readonly sandboxes: readonly Sandbox[];
  readonly store: StoreWatch;
  readonly discoveryLink: Link;
  readonly adminToken: string;
  /** One more for the shared pool, or one for the pool of a sandbox. */
  supervise(name: string, sandbox?: SandboxWanted): Promise<Supervisor>;
  /** Through whichever gateway answers. */
  ask<Request, Response>(method: UnaryMethod<Request, Response>, request: Request): Promise<Response>;
  /** Registers the sandbox under its name (again) and exposes its service. */
  register(sandbox: SandboxWanted, appPort: number): Promise<Registered>;
  close(): Promise<void>;
}

export interface InstallationWanted {
  readonly etcd: number;
  readonly gateways: number;
  readonly sharedSupervisors: number;
  readonly sandboxes: readonly SandboxWanted[];
}

export async function startInstallation(wanted: InstallationWanted): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-chaos-'));
  const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const act of closing.splice(0).reverse()) await act();
  };
  try {
    return await begin(wanted, folder, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function begin(
  wanted: InstallationWanted,
  folder: string,
  closing: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Installation> {
  const pki = await makePki(join(folder, 'pki'));
  const network = createNetwork();
  closing.push(() => network.close());
  const etcd = await startTestCluster({ memberCount: wanted.etcd });
  closing.push(() => etcd.stop());
  const store = await watchStore(etcd.endpoints);
  closing.push(() => store.close());
  const processes: AppProcess[] = [];
  closing.push(() => Promise.all(processes.map((each) => each.kill())));

  async function start(
    name: string,
    app: string,
    given: Readonly<Record<string, string>>,
    { runtimeId, logLevel = 'info' }: { readonly runtimeId?: string; readonly logLevel?: string } = {},
  ): Promise<AppProcess> {
    const { caFile, certFile, keyFile } = await pki.internal(app, runtimeId);
    const own = { 'internal-ca-file': caFile, 'internal-cert-file': certFile, 'internal-key-file': keyFile };
    const options = { 'admin-listen': ANY_PORT, 'log-level': logLevel, drain: '3s', ...own, ...given };
    const started = await startApp({ name, app, options, folder });
    processes.push(started);
    return started;
  }

  const supervisorsKnown: { uid: string; pool: string; address: string; credentialSha256: string }[] = [];
  const workloads: { workspace: string; sandbox: string; runtimeId: string; boundaryAddress?: string }[] = [];
  const staticFile = join(folder, 'driver-static.json');
  const tellDriver = keepDriverFile(staticFile, () => ({ workloads, supervisors: supervisorsKnown }));

  const parts = await Promise.all(
    wanted.sandboxes.map(async (sandbox) => {
      const runtimeId = `run-${sandbox.name}`;
      const application = await startApplication(sandbox.name, folder);
      closing.push(() => application.stop());
      const workload = { workspace: WORKSPACE, sandbox: sandbox.name, runtimeId };
      if (!sandbox.hasBoundary) {
        workloads.push(workload);
        return { sandbox, application, boundary: undefined };
      }
      const listens = { 'boundary-listen': ANY_PORT, 'verify-keys': pki.verifyKeysFolder };
      // At this level it says whose channel each is.
      const boundary = await start(`boundary-${sandbox.name}`, 'boundary', listens, { runtimeId, logLevel: 'debug' });
      const boundaryAddress = await network.way('supervisors', sandbox.name, boundary.address('boundary').port);
      workloads.push({ ...workload, boundaryAddress });
      return { sandbox, application, boundary };
    }),
  );
  await tellDriver();
  const driver = await start('driver', 'driver', { 'driver-listen': ANY_PORT, 'static-file': staticFile });
  const loopback = pki.loopback;
  const storeFor = async (name: string): Promise<string> =>
    `etcd://${(await Promise.all(etcd.members.map((member) => network.way(name, member.name, member.port)))).join(',')}`;
  const names = Array.from({ length: wanted.gateways }, (_, index) => `gateway-${index + 1}`);
  const [discovery, ...gateways] = await Promise.all([
    start('discovery', 'discovery', {
      'discovery-listen': ANY_PORT,
      'signing-keys': pki.keysFolder,
      'discovery-cert-file': loopback.certFile,
      'discovery-key-file': loopback.keyFile,
      store: await storeFor('discovery'),
    }),
    ...names.map(async (name) =>
      start(name, 'gateway', {
        'operator-listen': ANY_PORT,
        'supervisor-listen': ANY_PORT,
        domain: DOMAIN,
        'default-pool': POOL,
        driver: `127.0.0.1:${driver.address('driver').port}`,
        'signing-keys': pki.keysFolder,
        'operator-cert-file': loopback.certFile,
        'operator-key-file': loopback.keyFile,
        store: await storeFor(name),
      }),
    ),
  ]);

  const operator = await openOperator(pki, gateways, discovery);
  closing.push(() => operator.close());
  const registered = new Map<string, Registered>();
  const supervisors = new Map<string, Supervisor>();
  const supervise = createSupervise({
    ...{ folder, pki, network, gateways, supervisors, start },
    poolOf: (name) => (name === undefined ? POOL : (registered.get(name)?.poolId ?? '')),
    async know(uid, pool, credential) {
      supervisorsKnown.push({ uid, pool, address: '127.0.0.1', credentialSha256: credentialHash(credential) });
      await tellDriver();
    },
  });

  const shared = Array.from({ length: wanted.sharedSupervisors }, (_, index) => `shared-${index + 1}`);
  for (const { sandbox, application } of parts) registered.set(sandbox.name, await operator.register(sandbox, application.port));
  const dedicated = parts.filter(({ sandbox }) => sandbox.mode === 'dedicated').map(({ sandbox }) => sandbox);
  await Promise.all([
    ...shared.map((name) => supervise(name)),
    ...dedicated.map((sandbox) => supervise(`only-${sandbox.name}`, sandbox)),
  ]);
  const sandboxes = parts.map(({ sandbox, application, boundary }): Sandbox => {
    const { name, mode, hasBoundary } = sandbox;
    const listeners = mode === 'dedicated' ? [`only-${name}`] : shared;
    return { name, mode, hasBoundary, listeners, host: registered.get(name)?.host ?? '', application, boundary };
  });
  const { ask, register, discoveryLink, adminToken } = operator;
  return {
    ...{ folder, pki, etcd, network, gateways, driver, discovery, supervisors, sandboxes, store, discoveryLink, adminToken },
    ...{ supervise, ask, register, close },
  };
}
