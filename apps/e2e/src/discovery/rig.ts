import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatewayV1, openSigningKeys, openTlsFiles, type Role, signOperatorToken } from '@sallyport/wire';
import { type AppProcess, startApp } from '../authority/rig/app-process.ts';
import { type EchoApp, startEchoApp } from '../authority/rig/echo-app.ts';
import { type Installation, POOL, startInstallation, target } from '../authority/rig/installation.ts';
import { startAsker } from './asker.ts';
import { followHistory, type History } from './history.ts';
import type { Sample } from './judge.ts';
import { type Reader, startReader } from './reader.ts';

/** Two discovery replicas, whoever follows and asks them, and the store's own history; all processes are real ones. */
export interface DiscoveryRig {
  readonly installation: Installation;
  readonly app: EchoApp;
  readonly history: History;
  readonly replicas: readonly [AppProcess, AppProcess];
  /** One of each replica; they stay there. */
  readonly readers: readonly [Reader, Reader];
  /** Goes from one replica to the other. */
  readonly wanderer: Reader;
  /** Of the second replica, which reads its grant from a projected file. */
  readonly ofFile: Reader;
  readonly samples: Sample[];
  /** Answers that contradict themselves. */
  readonly contradictions: readonly string[];
  /** Hosts that both replicas are asked for. */
  readonly hosts: string[];
  grant(workspaces: readonly string[]): Promise<void>;
  grantByFile(workspaces: readonly string[]): Promise<void>;
  /** A sandbox with a service in any workspace; resolves with its host. */
  expose(workspace: string, sandbox: string): Promise<string>;
  close(): Promise<void>;
}

const PRINCIPAL = 'test-reader';
const PRINCIPAL_OF_FILE = 'file-reader';
const WORKSPACES = ['team', 'other'];
const HOUR_MS = 3_600_000;
const methods = gatewayV1.GatewayServiceService;

export async function startDiscoveryRig(): Promise<DiscoveryRig> {
  const closing: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const act of closing.splice(0).reverse()) await act();
  };
  try {
    return await begin(closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function begin(closing: (() => unknown)[], close: () => Promise<void>): Promise<DiscoveryRig> {
  const app = await startEchoApp();
  closing.push(() => app.close());
  const installation = await startInstallation({ gatewayCount: 2 });
  closing.push(() => installation.close());
  const { pki, folder, etcd, ask } = installation;
  const history = await followHistory(etcd.endpoints);
  closing.push(() => history.close());

  const grantsFolder = join(folder, 'grants');
  await mkdir(grantsFolder);
  let version = 0;
  /** As a volume is projected: a new folder, and `..data` renamed over to it. */
  async function grantByFile(workspaces: readonly string[]): Promise<void> {
    version += 1;
    const name = `..${version}`;
    await mkdir(join(grantsFolder, name));
    const grants = { version, notAfter: '2100-01-01T00:00:00Z', grants: { [PRINCIPAL_OF_FILE]: workspaces } };
    await writeFile(join(grantsFolder, name, 'grants.json'), JSON.stringify(grants));
    await symlink(name, join(grantsFolder, '..data_tmp'));
    await rename(join(grantsFolder, '..data_tmp'), join(grantsFolder, '..data'));
    if (version === 1) await symlink(join('..data', 'grants.json'), join(grantsFolder, 'grants.json'));
  }
  await grantByFile(WORKSPACES);

  const internal = await pki.internal('discovery');
  const second = await startApp({
    name: 'discovery-2',
    app: 'discovery',
    folder,
    options: {
      ...{ 'admin-listen': '127.0.0.1:0', 'discovery-listen': '127.0.0.1:0', 'log-level': 'debug', drain: '3s' },
      ...{ 'internal-ca-file': internal.caFile, 'internal-cert-file': internal.certFile, 'internal-key-file': internal.keyFile },
      ...{ 'discovery-cert-file': pki.loopback.certFile, 'discovery-key-file': pki.loopback.keyFile },
      ...{ 'signing-keys': pki.keysFolder, 'grants-dir': grantsFolder, store: `etcd://${etcd.endpoints.join(',')}` },
    },
  });
  closing.push(() => second.kill());
  const grant = async (workspaces: readonly string[]): Promise<void> => {
    await ask(methods.setGrant, { principal: PRINCIPAL, workspaces: [...workspaces] });
  };
  await grant(WORKSPACES);

  const keys = await openSigningKeys(pki.keysFolder);
  const trust = await openTlsFiles({ caFile: pki.caFile });
  if (!keys.ok || !trust.ok) throw new Error('no keys');
  closing.push(
    () => keys.value.close(),
    () => trust.value.close(),
  );
  const tokenOf = (principal: string): Promise<string> =>
    signOperatorToken(keys.value, { principal, role: { kind: 'reader', workspaces: 'all' } as Role }, HOUR_MS, new Date());
  const bearer = await tokenOf(PRINCIPAL);
  const replicas = [installation.discovery, second] as const;
  const [first, other] = replicas.map((each) => target(each, 'discovery')) as [string, string];
  const samples: Sample[] = [];
  const contradictions: string[] = [];
  const hosts: string[] = [];
  const common = { principal: PRINCIPAL, bearer, tls: trust.value, samples };
  const reader = (name: string, at: string): Reader => {
    const made = startReader({ ...common, name, target: at });
    closing.push(() => made.stop());
    return made;
  };
  const readers = [reader('reader of the first', first), reader('reader of the second', other)] as const;
  const wanderer = reader('wanderer', first);
  const ofFile = startReader({
    ...common,
    ...{ name: 'reader by file', principal: PRINCIPAL_OF_FILE, bearer: await tokenOf(PRINCIPAL_OF_FILE), target: other },
    // What a file grants is not in the store's history, so the store cannot judge it.
    samples: [],
  });
  closing.push(() => ofFile.stop());
  for (const [name, at] of [
    ['asker of the first', first],
    ['asker of the second', other],
  ] as const) {
    const asker = startAsker({ ...common, name, target: at, hosts: () => hosts, contradictions });
    closing.push(() => asker.stop());
  }
  return {
    ...{ installation, app, history, replicas, readers, wanderer, ofFile, samples, contradictions },
    ...{ hosts, grant, grantByFile, close },
    async expose(workspace, sandbox) {
      const name = { workspace, sandbox };
      await ask(methods.registerSandbox, { name, mode: 2, poolId: POOL, runtimeId: `run-${workspace}-${sandbox}` });
      const exposed = await ask(methods.exposeService, { name: { ...name, service: 'web' }, port: app.port, policy: undefined });
      return exposed.service?.host ?? '';
    },
  };
}
