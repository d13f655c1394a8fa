import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLocalDriver,
  createOperatorClient,
  keepCertificates,
  makeTokens,
  type OperatorClient,
  readToken,
  SHARED_POOL,
} from '@sallyport/dev/stack';
import { serveDriver } from '@sallyport/driver';
import * as gateway from '@sallyport/gateway';
import { formatAddress, type PoolId, type RuntimeId } from '@sallyport/model';
import { createClock, createLog, createMetrics, type Process, type Reading, randomId, type Source } from '@sallyport/process';
import { createMemoryStore } from '@sallyport/store';
import * as supervisor from '@sallyport/supervisor';
import { call, gatewayV1, openLink, openTlsFiles } from '@sallyport/wire';

/** One gateway that can be stopped and comes back on the same store and the same ports, as a process that is restarted. */
export interface Installation {
  readonly ca: string;
  readonly sharedPool: PoolId;
  operator(): OperatorClient;
  deleteSandbox(workspace: string, sandbox: string): Promise<void>;
  /** With further options of the supervisor's command line, such as its limits. */
  supervise(
    poolId: PoolId,
    delivery: 'push' | 'poll',
    options?: Readonly<Record<string, string>>,
  ): Promise<supervisor.Supervisor>;
  stopGateway(): Promise<void>;
  startGateway(): Promise<void>;
  close(): Promise<void>;
}

const DOMAIN = 'apps.localhost';
const LOOPBACK = { host: '127.0.0.1', port: 0 };

export async function startInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-installation-'));
  const certificates = await keepCertificates(join(folder, 'pki'), DOMAIN, undefined);
  const { keys, adminTokenFile } = await makeTokens(folder);
  const token = await readToken(adminTokenFile);
  const trust = await openTlsFiles({ caFile: certificates.caFile });
  if (!trust.ok) throw new Error(trust.error);
  const clock = createClock();
  const stopping = new AbortController();
  const store = createMemoryStore({ clock });
  const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true }), () => clock.stop()];
  const process = (): Process => ({
    clock,
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    randomId,
    stopping: stopping.signal,
    admin: { host: '127.0.0.1', port: 1 },
  });

  const driverApp = createLocalDriver(`local-${randomId()}` as RuntimeId);
  const driver = await serveDriver(
    driverApp,
    { listen: LOOPBACK, tls: await certificates.internal('driver'), trustDomain: certificates.trustDomain },
    process(),
  );
  closing.push(() => driver.drain(AbortSignal.abort()));

  const gatewayTls = await internal('gateway');
  let [operatorPort, supervisorPort] = [0, 0];
  let running: gateway.Gateway | undefined;
  async function startGateway(): Promise<void> {
    const config = read(gateway.readConfig, {
      'operator-listen': `127.0.0.1:${operatorPort}`,
      'supervisor-listen': `127.0.0.1:${supervisorPort}`,
      domain: DOMAIN,
      driver: formatAddress(driver.address),
      'default-pool': SHARED_POOL,
      'signing-keys': keys,
      ...gatewayTls,
      'operator-cert-file': certificates.loopback.certFile,
      'operator-key-file': certificates.loopback.keyFile,
    });
    running = await gateway.wire(config, process(), { store: store.connect() });
    [operatorPort, supervisorPort] = [running.operatorAddress.port, running.supervisorAddress.port];
  }
  async function stopGateway(): Promise<void> {
    await running?.drain(AbortSignal.abort());
    running = undefined;
  }
  async function internal(app: string): Promise<Record<string, string>> {
    const { caFile, certFile, keyFile } = await certificates.internal(app);
    return { 'internal-ca-file': caFile, 'internal-cert-file': certFile, 'internal-key-file': keyFile };
  }
  await startGateway();
  closing.push(stopGateway);

  const link = openLink({
    target: formatAddress({ host: '127.0.0.1', port: operatorPort }),
    tls: trust.value,
    showsCertificate: false,
    server: { kind: 'host-name' },
  });
  closing.push(() => {
    link.close();
    trust.value.close();
  });

  return {
    ca: await readFile(certificates.caFile, 'utf8'),
    sharedPool: SHARED_POOL,
    operator: () => createOperatorClient(link, token),
    async deleteSandbox(workspace, sandbox) {
      const method = gatewayV1.GatewayServiceService.deleteSandbox;
      const deleted = await call(link, method, { name: { workspace, sandbox } }, { deadlineMs: 30_000, bearer: token });
      if (!deleted.ok) throw new Error(deleted.error.message);
    },
    async supervise(poolId, delivery, options = {}) {
      const credential = randomId() + randomId();
      driverApp.know({ uid: randomId(), poolId, credential, address: '127.0.0.1' });
      const config = read(supervisor.readConfig, {
        gateway: formatAddress({ host: '127.0.0.1', port: supervisorPort }),
        pool: poolId,
        capacity: '10',
        'credential-file': await secret(folder, credential),
        delivery,
        'app-listen': '127.0.0.1:0',
        domain: DOMAIN,
        'app-cert-file': certificates.app.certFile,
        'app-key-file': certificates.app.keyFile,
        drain: '100ms',
        ...options,
        ...(await internal('supervisor')),
      });
      const started = await supervisor.wire(config, process());
      closing.push(() => started.drain(AbortSignal.abort()));
      return started;
    },
    stopGateway,
    startGateway,
    async close() {
      stopping.abort();
      for (const close of closing.reverse()) await close();
    },
  };
}

async function secret(folder: string, text: string): Promise<string> {
  const file = join(folder, `${randomId()}.token`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

function read<C>(readConfig: (source: Source) => Reading<C>, options: Readonly<Record<string, string>>): C {
  const reading = readConfig({ env: {}, args: Object.entries(options).map(([name, value]) => `--${name}=${value}`) });
  if (reading.kind !== 'read') throw new Error(reading.kind === 'invalid' ? reading.problems.join('; ') : reading.kind);
  return reading.config;
}
