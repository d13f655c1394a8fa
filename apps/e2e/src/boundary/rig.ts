import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode } from '@sallyport/authority';
import { createOperatorClient, type OperatorClient } from '@sallyport/dev/stack';
import { createStaticDriver, credentialHash, type StaticDriver, type StaticSupervisor, serveDriver } from '@sallyport/driver';
import * as gateway from '@sallyport/gateway';
import { DEFAULT_POLICY, ok, type PoolId, parseServiceRef } from '@sallyport/model';
import { type CertificateNames, createAuthority } from '@sallyport/pki';
import { createLog, createMetrics, type Process, randomId } from '@sallyport/process';
import { createMemoryStore } from '@sallyport/store';
import { createSigningKey, openLink, openSigningKeys, openTlsFiles, signOperatorToken, type TlsFiles } from '@sallyport/wire';
import { type AppProcess, startApp } from '../authority/rig/app-process.ts';
import { type CountingApp, startCountingApp } from './counting-app.ts';
import { createRatedClock, type RatedClock } from './rated-clock.ts';
import { type Relay, startRelay } from './relay.ts';

/** A gateway in this process, so that its clock can be made to run; boundary and members as processes of their own. */
export interface Rig {
  readonly app: CountingApp;
  readonly gatewayClock: RatedClock;
  readonly operator: OperatorClient;
  readonly boundary: AppProcess | undefined;
  readonly host: string;
  readonly ca: Buffer;
  /** Joins through a network of its own. */
  member(name: string): Promise<Member>;
  /** Whose endpoint is published, by its port. */
  publishedPort(): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface Member {
  readonly process: AppProcess;
  readonly network: Relay;
  readonly port: number;
}

const POOL = 'shared' as PoolId;
const DOMAIN = 'apps.test';

export interface RigOptions {
  readonly withBoundary: boolean;
  readonly mode?: Mode;
  /** The driver is certain that no two supervisors of one uid live at once, as Kubernetes is of one container. */
  readonly exclusive?: boolean;
}

export async function startRig({ withBoundary, mode = 'shared', exclusive = false }: RigOptions): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-rig-'));
  const now = new Date();
  const authority = await createAuthority({ commonName: 'test CA', days: 2, now });
  const undo: (() => unknown)[] = [() => rm(folder, { recursive: true })];
  const caFile = join(folder, 'ca.crt');
  await writeFile(caFile, authority.certPem);
  async function issue(name: string, names: CertificateNames): Promise<TlsFiles> {
    const { certPem, keyPem } = await authority.issue({ ...names, usages: ['server', 'client'], days: 1, now });
    const files = { caFile, certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
    await writeFile(files.certFile, certPem);
    await writeFile(files.keyFile, keyPem);
    return files;
  }
  const internal = (app: string, id: string): Promise<TlsFiles> =>
    issue(`${app}-${id}`, { uris: [`spiffe://sallyport.local/${app}/${id}`], dnsNames: ['localhost'] });
  const flags = ({ certFile, keyFile }: TlsFiles) => ({
    'internal-ca-file': caFile,
    'internal-cert-file': certFile,
    'internal-key-file': keyFile,
  });
  const key = await createSigningKey();
  const keysIn = async (name: string, text: string): Promise<string> => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, '1.jwk'), text);
    return join(folder, name);
  };
  const signing = await keysIn('signing', key.privateJwk);
  const verify = await keysIn('verify', key.publicJwk);

  const app = await startCountingApp();
  undo.push(() => app.close());
  const gatewayClock = createRatedClock();
  undo.push(() => gatewayClock.stop());
  const process = (): Process => ({
    clock: gatewayClock,
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    randomId,
    stopping: new AbortController().signal,
    admin: { host: '127.0.0.1', port: 1 },
  });

  const boundary = withBoundary
    ? await startApp({
        name: 'boundary',
        app: 'boundary',
        folder,
        options: {
          'admin-listen': '127.0.0.1:0',
          'boundary-listen': '127.0.0.1:0',
          'verify-keys': verify,
          ...flags(await internal('boundary', 'r0')),
        },
      })
    : undefined;
  if (boundary !== undefined) undo.push(() => boundary.kill());

  const supervisors: StaticSupervisor[] = [];
  const at = boundary?.address('boundary');
  const workload = {
    workspace: 'team',
    sandbox: 'box',
    runtimeId: 'r0',
    ready: true,
    services: [],
    ...(at === undefined ? {} : { boundaryAddress: `127.0.0.1:${at.port}` }),
  } as never;
  const driver: StaticDriver = createStaticDriver({ workloads: [workload], supervisors: [] });
  const loopback = { host: '127.0.0.1', port: 0 };
  const driverTls = await internal('driver', 'd');
  const driverServer = await serveDriver(
    {
      ...driver,
      async authenticateSupervisor(credential) {
        const proved = await driver.authenticateSupervisor(credential);
        return proved.ok ? ok({ ...proved.value, exclusive }) : proved;
      },
    },
    { listen: loopback, tls: driverTls, trustDomain: 'sallyport.local' } as never,
    process(),
  );
  const gatewayTls = await internal('gateway', 'g');
  const reading = gateway.readConfig({
    env: {},
    args: Object.entries({
      'operator-listen': '127.0.0.1:0',
      'supervisor-listen': '127.0.0.1:0',
      domain: DOMAIN,
      driver: `127.0.0.1:${driverServer.address.port}`,
      'default-pool': POOL,
      'signing-keys': signing,
      drain: '100ms',
      ...flags(gatewayTls),
    }).map(([name, value]) => `--${name}=${value}`),
  });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  const theGateway = await gateway.wire(reading.config, process(), {
    store: createMemoryStore({ clock: gatewayClock }).connect(),
    urlPort: () => 443,
  });
  undo.push(() => driverServer.drain(AbortSignal.abort()));
  undo.push(() => theGateway.drain(AbortSignal.abort()));

  const keys = await openSigningKeys(signing);
  const trust = await openTlsFiles({ caFile });
  if (!keys.ok || !trust.ok) throw new Error('the keys or the CA cannot be opened');
  const bearer = await signOperatorToken(keys.value, { principal: 'test', role: { kind: 'admin' } }, 3_600_000);
  const link = openLink({
    target: `127.0.0.1:${theGateway.operatorAddress.port}`,
    tls: trust.value,
    showsCertificate: false,
    server: { kind: 'app', app: 'gateway', trustDomain: 'sallyport.local' },
  });
  undo.push(() => {
    link.close();
    keys.value.close();
    trust.value.close();
  });
  const operator = createOperatorClient(link, bearer);
  const registered = await operator.register({ workspace: 'team', sandbox: 'box' }, mode, mode === 'shared' ? POOL : '');
  const ref = parseServiceRef('team/box/web');
  if (!ref.ok) throw new Error(ref.error);
  const { host } = await operator.expose({ ref: ref.value, port: app.port, policy: DEFAULT_POLICY });
  const appTls = await issue('apps', { dnsNames: [`*.${DOMAIN}`] });

  return {
    app,
    gatewayClock,
    operator,
    boundary,
    host,
    ca: Buffer.from(authority.certPem),
    async member(name) {
      const credential = randomId() + randomId();
      const credentialFile = join(folder, `${name}.token`);
      await writeFile(credentialFile, credential);
      const poolId = registered.poolId as PoolId;
      supervisors.push({ supervisorUid: name, poolId, credentialHash: credentialHash(credential), address: '127.0.0.1' });
      driver.apply({ workloads: [workload], supervisors: [...supervisors] });
      const network = await startRelay(theGateway.supervisorAddress.port);
      const started = await startApp({
        name,
        app: 'supervisor',
        folder,
        options: {
          'admin-listen': '127.0.0.1:0',
          gateway: `127.0.0.1:${network.port}`,
          pool: poolId,
          capacity: '10',
          'credential-file': credentialFile,
          'app-listen': '127.0.0.1:0',
          domain: DOMAIN,
          'app-cert-file': appTls.certFile,
          'app-key-file': appTls.keyFile,
          drain: '100ms',
          ...flags(await internal('supervisor', name)),
        },
      });
      undo.push(() => network.close());
      undo.push(() => started.kill());
      return { process: started, network, port: started.address('app').port };
    },
    async publishedPort() {
      const shown = (await operator.list()).find((service) => service.host === host)?.endpoint ?? '';
      return shown === '' ? undefined : Number(shown.split(':').at(-1));
    },
    async close() {
      for (const act of undo.reverse()) await act();
    },
  };
}
