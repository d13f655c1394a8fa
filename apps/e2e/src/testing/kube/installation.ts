import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Driver, type DriverServer, serveDriver } from '@sallyport/driver';
import * as gateway from '@sallyport/gateway';
import { createClock, createLog, createMetrics, type Process, type Reading, randomId, type Source } from '@sallyport/process';
import { createMemoryStore } from '@sallyport/store';
import * as supervisor from '@sallyport/supervisor';
import { followWorld } from '@sallyport/view';
import {
  call,
  createSigningKey,
  driverV1,
  gatewayV1,
  openLink,
  openServerStream,
  openSigningKeys,
  openTlsFiles,
  signOperatorToken,
} from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';

const TRUST = 'sallyport.local';
export const DOMAIN = 'apps.test';

/** Real gateways and supervisors on a store in memory, and whatever driver is given: real ports and real TLS between them. */
export type Installation = Awaited<ReturnType<typeof openInstallation>>;

export async function openInstallation(
  driver: Driver,
  { gateways = 1, follow = false }: { readonly gateways?: number; readonly follow?: boolean } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-kube-e2e-'));
  const authority = await createTestAuthority();
  const clock = createClock();
  const log = createLog({ level: 'silent' });
  const stopping = new AbortController();
  const part = (): Process => ({
    clock,
    log,
    metrics: createMetrics(),
    randomId,
    stopping: stopping.signal,
    admin: { host: '127.0.0.1', port: 1 },
  });
  const issue = (app: string) => authority.issue(app, { uris: [`spiffe://${TRUST}/${app}/1`] });
  const store = createMemoryStore({ clock });
  const view = followWorld({ store: store.connect(), clock, onRelist: () => undefined, onProblem: () => undefined });
  const closing: (() => Promise<unknown>)[] = [];
  await writeFile(join(directory, 'a.jwk'), (await createSigningKey()).privateJwk);
  const keys = await openSigningKeys(directory);
  if (!keys.ok) throw new Error(keys.error);
  const bearer = await signOperatorToken(keys.value, { principal: 'admin', role: { kind: 'admin' } }, 3_600_000);

  let driverServer = await startDriver();
  async function startDriver(port = 0): Promise<DriverServer> {
    return serveDriver(driver, { listen: { host: '127.0.0.1', port }, tls: await issue('driver'), trustDomain: TRUST }, part());
  }
  const gatewayTls = await issue('gateway');
  const running: gateway.Gateway[] = [];
  for (let n = 0; n < gateways; n += 1) {
    const config = read(gateway.readConfig, {
      'operator-listen': '127.0.0.1:0',
      'supervisor-listen': '127.0.0.1:0',
      domain: DOMAIN,
      driver: `127.0.0.1:${driverServer.address.port}`,
      'signing-keys': directory,
      'follow-workloads': String(follow),
      ...internal(gatewayTls),
    });
    const started = await gateway.wire(config, part(), { store: store.connect() });
    running.push(started);
    closing.unshift(() => started.drain(AbortSignal.abort()));
  }
  const opened = await openTlsFiles(gatewayTls);
  if (!opened.ok) throw new Error(opened.error);
  const [first] = running as [gateway.Gateway];
  const operatorLink = openLink({
    target: `127.0.0.1:${first.operatorAddress.port}`,
    tls: opened.value,
    showsCertificate: false,
    server: { kind: 'app', app: 'gateway', trustDomain: TRUST },
  });
  const driverLink = openLink({
    target: `127.0.0.1:${driverServer.address.port}`,
    tls: opened.value,
    showsCertificate: true,
    server: { kind: 'app', app: 'driver', trustDomain: TRUST },
  });
  const app = await authority.issue('app', { dnsNames: [`*.${DOMAIN}`] });

  return {
    world: view.world,
    operator: {
      check: () => call(operatorLink, gatewayV1.GatewayServiceService.checkInstallation, {}, { deadlineMs: 10_000, bearer }),
      register: (sandbox: string, poolId: string) =>
        call(
          operatorLink,
          gatewayV1.GatewayServiceService.registerSandbox,
          { name: { workspace: 'team', sandbox }, mode: 2, poolId, runtimeId: '' },
          { deadlineMs: 30_000, bearer },
        ),
      expose: (sandbox: string, port: number, service = 'web') =>
        call(
          operatorLink,
          gatewayV1.GatewayServiceService.exposeService,
          { name: { workspace: 'team', sandbox, service }, port, policy: undefined },
          { deadlineMs: 30_000, bearer },
        ),
    },
    driver: {
      get: (sandbox: string) =>
        call(driverLink, driverV1.ComputeDriverServiceService.getSandbox, { workspace: 'team', sandbox }, { deadlineMs: 2_000 }),
      list: () => call(driverLink, driverV1.ComputeDriverServiceService.listSandboxes, {}, { deadlineMs: 2_000 }),
      watch: () => openServerStream(driverLink, driverV1.ComputeDriverServiceService.watchSandboxes, {}),
      stop: () => driverServer.drain(AbortSignal.abort()),
      async start(): Promise<void> {
        driverServer = await startDriver(driverServer.address.port);
      },
    },
    /** A supervisor of a pool, proven by this credential. */
    async supervise(pool: string, credential: string): Promise<supervisor.Supervisor> {
      const credentialFile = join(directory, `${randomId()}.token`);
      await writeFile(credentialFile, credential);
      const config = read(supervisor.readConfig, {
        gateway: `127.0.0.1:${first.supervisorAddress.port}`,
        pool,
        capacity: '10',
        'credential-file': credentialFile,
        'app-listen': '127.0.0.1:0',
        domain: DOMAIN,
        'app-cert-file': app.certFile,
        'app-key-file': app.keyFile,
        drain: '100ms',
        ...internal(await issue('supervisor')),
      });
      const started = await supervisor.wire(config, part());
      closing.unshift(() => started.drain(AbortSignal.abort()));
      return started;
    },
    /** Endpoint of what is on record for a sandbox, as `address:port uid`. */
    published(sandbox: string): string | undefined {
      const id = view.world.names.get(`team/${sandbox}`)?.value;
      const endpoint = id === undefined ? undefined : view.world.installations.get(id)?.value.endpoint;
      return endpoint === undefined ? undefined : `${endpoint.address}:${endpoint.port} ${endpoint.podUid}`;
    },
    async close() {
      operatorLink.close();
      driverLink.close();
      for (const close of closing) await close();
      await driverServer.drain(AbortSignal.abort());
      view.close();
      opened.value.close();
      keys.value.close();
      clock.stop();
      authority.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const internal = (files: { readonly caFile: string; readonly certFile: string; readonly keyFile: string }) => ({
  'internal-ca-file': files.caFile,
  'internal-cert-file': files.certFile,
  'internal-key-file': files.keyFile,
});

function read<C>(readConfig: (source: Source) => Reading<C>, options: Readonly<Record<string, string>>): C {
  const reading = readConfig({ env: {}, args: Object.entries(options).map(([name, value]) => `--${name}=${value}`) });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  return reading.config;
}
