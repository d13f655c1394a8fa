import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as discovery from '@sallyport/discovery';
import { serveDriver } from '@sallyport/driver';
import { writeFileAtomic } from '@sallyport/files';
import * as gateway from '@sallyport/gateway';
import { formatAddress, type Host, type PoolId, type RuntimeId } from '@sallyport/model';
import {
  type Address,
  createMetrics,
  type Process,
  type Reading,
  type ReadyCheck,
  type Running,
  type Source,
} from '@sallyport/process';
import type { ExchangeRecord } from '@sallyport/proxy';
import { createMemoryStore } from '@sallyport/store';
import * as supervisor from '@sallyport/supervisor';
import { openLink, openTlsFiles } from '@sallyport/wire';
import { keepCertificates } from './certificates.ts';
import type { Config } from './config.ts';
import { createLocalDriver } from './local-driver.ts';
import { createOperatorClient, type OperatorClient } from './operator.ts';
import type { StateDir } from './state-dir.ts';
import { makeTokens, readToken } from './tokens.ts';

/** A running system, whether its parts share a process or have one each. */
export interface Stack {
  readonly operator: OperatorClient;
  /** For `curl --cacert` and for the gateway and discovery ports alike. */
  readonly caFile: string;
  readonly adminTokenFile: string;
  readonly gatewayAddress: Address;
  readonly discoveryAddress: Address;
  parts(): readonly Part[];
  /** Starts a supervisor for a pool. Its listener is bound when this resolves. */
  supervise(poolId: PoolId, port: number, capacity: number): Promise<void>;
  /** Which of these hosts a request would be admitted for now. */
  served(hosts: ReadonlySet<Host>): Promise<ReadonlySet<Host>>;
  ready(): readonly ReadyCheck[];
  /** Where the parts share this process: their supervisors, for the screen. */
  readonly supervisors: () => readonly supervisor.Supervisor[];
  close(deadline: AbortSignal): Promise<void>;
}

/** One service of the system as the ready file names it. */
export interface Part {
  readonly name: string;
  readonly app: string;
  readonly pid: number;
  readonly address: Address;
  readonly adminPort: number;
}

/** Where the address of the URLs is set, for the message when it cannot be had. */
export const LISTEN_SETTINGS = { host: 'listen', port: 'port' } as const;

/** The one pool of a stack whose sandboxes share a supervisor. */
export const SHARED_POOL = 'dev' as PoolId;

const LOOPBACK: Address = { host: '127.0.0.1', port: 0 };

/** Wires all services into this process as they are wired in their own: real ports, real TLS, one store in memory. */
export async function startStack(
  config: Config,
  process: Process,
  state: StateDir,
  observe: (record: ExchangeRecord) => void,
): Promise<Stack> {
  const { clock, log, randomId } = process;
  const given =
    config.certFile === undefined || config.keyFile === undefined
      ? undefined
      : { certFile: config.certFile, keyFile: config.keyFile };
  const certificates = await keepCertificates(state.pki, config.domain, given);
  const { keys, adminTokenFile } = await makeTokens(state.run);
  const store = createMemoryStore({ clock });
  const closing: ((deadline: AbortSignal) => Promise<void>)[] = [];
  const parts: Part[] = [];

  const driverApp = createLocalDriver(`local-${randomId()}` as RuntimeId);
  const driver = await serveDriver(
    driverApp,
    { listen: LOOPBACK, tls: await certificates.internal('driver'), trustDomain: certificates.trustDomain },
    part('driver'),
  );
  began('driver', 'driver', driver, driver.address);

  // Known once the first listener is bound; until then no URL is asked for. 0: each URL has the port of its own supervisor.
  let urlPort = config.mode === 'shared' ? config.port : 0;
  const gatewayConfig = read(gateway.readConfig, {
    'operator-listen': '127.0.0.1:0',
    'supervisor-listen': '127.0.0.1:0',
    domain: config.domain,
    driver: formatAddress(driver.address),
    ...(config.mode === 'shared' ? { 'default-pool': SHARED_POOL } : {}),
    'signing-keys': keys,
    ...internal(await certificates.internal('gateway')),
    'operator-cert-file': certificates.loopback.certFile,
    'operator-key-file': certificates.loopback.keyFile,
  });
  const theGateway = await gateway.wire(gatewayConfig, part('gateway'), { store: store.connect(), urlPort: () => urlPort });
  began('gateway-1', 'gateway', theGateway, theGateway.operatorAddress);

  const discoveryConfig = read(discovery.readConfig, {
    'discovery-listen': '127.0.0.1:0',
    'signing-keys': keys,
    ...internal(await certificates.internal('discovery')),
    'discovery-cert-file': certificates.loopback.certFile,
    'discovery-key-file': certificates.loopback.keyFile,
  });
  const theDiscovery = await discovery.wire(discoveryConfig, part('discovery'), {
    store: store.connect(),
    urlPort: () => urlPort,
  });
  began('discovery-1', 'discovery', theDiscovery, theDiscovery.address);

  const trust = await openTlsFiles({ caFile: certificates.caFile });
  if (!trust.ok) throw new Error(trust.error);
  const token = await readToken(adminTokenFile);
  const link = openLink({
    target: formatAddress(theGateway.operatorAddress),
    tls: trust.value,
    showsCertificate: false,
    server: { kind: 'host-name' },
  });
  const supervisors: supervisor.Supervisor[] = [];
  const supervisorsDir = join(state.run, 'supervisors');
  await mkdir(supervisorsDir, { recursive: true, mode: 0o700 });

  async function supervise(poolId: PoolId, port: number, capacity: number): Promise<void> {
    const name = `supervisor-${supervisors.length + 1}`;
    const credential = randomId() + randomId();
    const credentialFile = join(supervisorsDir, `${name}.token`);
    await writeFileAtomic(credentialFile, credential, 0o600);
    driverApp.know({ uid: `${name}-${randomId()}`, poolId, credential, address: addressToDial(config.listen) });
    const supervisorConfig = read(supervisor.readConfig, {
      gateway: formatAddress(theGateway.supervisorAddress),
      pool: poolId,
      capacity: String(capacity),
      'credential-file': credentialFile,
      delivery: config.delivery,
      'app-listen': formatAddress({ host: config.listen, port }),
      domain: config.domain,
      'app-cert-file': certificates.app.certFile,
      'app-key-file': certificates.app.keyFile,
      drain: '100ms',
      ...internal(await certificates.internal('supervisor')),
    });
    // Ports of the stack itself are no applications: serving one would lead around its own authentication.
    const started = await supervisor.wire(supervisorConfig, part(name), {
      settings: LISTEN_SETTINGS,
      observe,
      ownPorts: [process.admin.port, ...parts.map(({ address }) => address.port), theGateway.supervisorAddress.port],
    });
    if (supervisors.length === 0 && config.mode === 'shared') urlPort = started.appPort ?? urlPort;
    supervisors.push(started);
    began(name, 'supervisor', started, { host: config.listen, port: started.appPort ?? 0 });
  }

  /** What one part gets of this process; metrics of its own, since names are made once. */
  function part(app: string): Process {
    return { ...process, log: log.child({ part: app }), metrics: createMetrics() };
  }

  function began(name: string, app: string, running: Running, address: Address): void {
    parts.push({ name, app, pid: globalThis.process.pid, address, adminPort: process.admin.port });
    closing.unshift((deadline) => running.drain(deadline));
  }

  return {
    operator: createOperatorClient(link, token, process),
    caFile: certificates.caFile,
    adminTokenFile,
    gatewayAddress: theGateway.operatorAddress,
    discoveryAddress: theDiscovery.address,
    supervisors: () => supervisors,
    parts: () => parts,
    supervise,
    served: async (hosts) => new Set(supervisors.flatMap((each) => each.servedHosts()).filter((host) => hosts.has(host))),
    ready: () => [...theGateway.ready(), ...supervisors.flatMap((each) => each.ready())],
    async close(deadline) {
      link.close();
      trust.value.close();
      // The last that began ends first: supervisors let go of what they own while their gateway is still there.
      for (const close of closing) await close(deadline);
    },
  };
}

const internal = (files: {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}): Record<string, string> => ({
  'internal-ca-file': files.caFile,
  'internal-cert-file': files.certFile,
  'internal-key-file': files.keyFile,
});

/** Each part reads its configuration as it would from its own command line. */
function read<C>(readConfig: (source: Source) => Reading<C>, options: Readonly<Record<string, string>>): C {
  const reading = readConfig({ env: {}, args: Object.entries(options).map(([name, value]) => `--${name}=${value}`) });
  if (reading.kind !== 'read') throw new Error(reading.kind === 'invalid' ? reading.problems.join('; ') : reading.kind);
  return reading.config;
}

/** Where clients on this machine reach a listener that takes every address. */
export const addressToDial = (listen: string): string =>
  listen === '0.0.0.0' || listen === 'localhost' ? '127.0.0.1' : listen === '::' ? '::1' : listen;
