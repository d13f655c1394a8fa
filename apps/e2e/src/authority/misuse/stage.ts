import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as discovery from '@sallyport/discovery';
import { createStaticDriver, credentialHash, serveDriver } from '@sallyport/driver';
import * as gateway from '@sallyport/gateway';
import type { PoolId } from '@sallyport/model';
import {
  createClock,
  createLog,
  createMetrics,
  type Metrics,
  type Process,
  type Reading,
  randomId,
  type Source,
} from '@sallyport/process';
import { createMemoryStore, ROOT, type Store } from '@sallyport/store';
import * as supervisor from '@sallyport/supervisor';
import { type App, type Link, openLink, openTlsFiles } from '@sallyport/wire';
import { DOMAIN, makePki, type Pki, TRUST_DOMAIN } from '../rig/pki.ts';

export const POOL = 'pool-1';
/** What the driver knows: two supervisors, each of another pool. */
export const CREDENTIAL = 'credential-of-member-1';
export const FOREIGN_CREDENTIAL = 'credential-of-a-foreign-pool';

export type Port = 'operator' | 'supervisor' | 'driver' | 'discovery';

/** Driver, gateway and discovery in this process on real ports, with their logs, their counters and their store at hand. */
export interface Stage {
  readonly pki: Pki;
  /** A link to one of the ports, showing the certificate of this app; undefined: none. */
  link(port: Port, app: App | undefined): Promise<Link>;
  /** A real supervisor in this process, with a listener or without; it ends with the stage. */
  supervise(options: SuperviseOptions): Promise<Supervised>;
  /** The store itself, as nobody else sees it. */
  readonly store: Store;
  /** How many calls of this method were refused with this status so far. */
  refusedCount(port: Port, method: string, status: string): Promise<number>;
  /** Reports that were refused by this clause so far. */
  fencedCount(clause: string): Promise<number>;
  /** Lines that say that a call was refused, or a report. */
  refusalLines(what?: 'call' | 'report'): readonly string[];
  /** How much has been logged, and what was since then that somebody should look at. */
  mark(): number;
  linesSince(mark: number): readonly string[];
  /** Every record, with its revision, but for those that the processes write about themselves. */
  records(): Promise<ReadonlyMap<string, bigint>>;
  close(): Promise<void>;
}

export interface SuperviseOptions {
  readonly listens: boolean;
  readonly pool?: string;
  readonly credential?: string;
  /** Another gateway than the stage's own. */
  readonly gateway?: string;
}

export interface Supervised {
  readonly supervisor: supervisor.Supervisor;
  readonly metrics: Metrics;
}

const ANY = { host: '127.0.0.1', port: 0 };
/** What gateways and readers write all the time, whoever calls. */
const OWN = /^\/sallyport\/v1\/(renewal|reader|gateway)\//;

export async function startStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-misuse-'));
  const pki = await makePki(join(folder, 'pki'));
  const clock = createClock();
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const store = createMemoryStore({ clock });
  const part = (): Process => ({ clock, log, metrics: createMetrics(), randomId, stopping: stopping.signal, admin: ANY });
  const parts = { driver: part(), gateway: part(), discovery: part() };

  const known = (supervisorUid: string, poolId: string, credential: string) => ({
    supervisorUid,
    poolId: poolId as PoolId,
    credentialHash: credentialHash(credential),
    address: '127.0.0.1',
  });
  const supervisors = [known('member-1', POOL, CREDENTIAL), known('member-2', 'pool-2', FOREIGN_CREDENTIAL)];
  const driver = await serveDriver(
    createStaticDriver({ workloads: [], supervisors }),
    { listen: ANY, tls: await pki.internal('driver'), trustDomain: TRUST_DOMAIN },
    parts.driver,
  );
  const common = async (app: string) => {
    const { caFile, certFile, keyFile } = await pki.internal(app);
    return {
      'internal-ca-file': caFile,
      'internal-cert-file': certFile,
      'internal-key-file': keyFile,
      'signing-keys': pki.keysFolder,
    };
  };
  const theGateway = await gateway.wire(
    read(gateway.readConfig, {
      ...(await common('gateway')),
      'operator-listen': '127.0.0.1:0',
      'supervisor-listen': '127.0.0.1:0',
      domain: DOMAIN,
      driver: `127.0.0.1:${driver.address.port}`,
      'default-pool': POOL,
      'operator-cert-file': pki.loopback.certFile,
      'operator-key-file': pki.loopback.keyFile,
    }),
    parts.gateway,
    { store: store.connect() },
  );
  const theDiscovery = await discovery.wire(
    read(discovery.readConfig, {
      ...(await common('discovery')),
      'discovery-listen': '127.0.0.1:0',
      'discovery-cert-file': pki.loopback.certFile,
      'discovery-key-file': pki.loopback.keyFile,
    }),
    parts.discovery,
    { store: store.connect() },
  );

  const ports = {
    operator: theGateway.operatorAddress.port,
    supervisor: theGateway.supervisorAddress.port,
    driver: driver.address.port,
    discovery: theDiscovery.address.port,
  };
  const metricsOf: Record<Port, Metrics> = {
    operator: parts.gateway.metrics,
    supervisor: parts.gateway.metrics,
    driver: parts.driver.metrics,
    discovery: parts.discovery.metrics,
  };
  const componentOf = { operator: 'gateway', supervisor: 'gateway', driver: 'driver', discovery: 'discovery' };
  const reader = store.connect();
  const supervised: supervisor.Supervisor[] = [];
  const closing: (() => void)[] = [];

  return {
    pki,
    async link(port, app) {
      const internal = port === 'supervisor' || port === 'driver';
      const caFile = internal ? (await pki.internal('driver')).caFile : pki.caFile;
      const own = app === undefined ? undefined : await pki.internal(app);
      const tls = await openTlsFiles(own === undefined ? { caFile } : { ...own, caFile });
      if (!tls.ok) throw new Error(tls.error);
      const link = openLink({
        target: `127.0.0.1:${ports[port]}`,
        tls: tls.value,
        showsCertificate: app !== undefined,
        server: internal
          ? { kind: 'app', app: port === 'driver' ? 'driver' : 'gateway', trustDomain: TRUST_DOMAIN }
          : { kind: 'host-name' },
        // The server is to refuse what is too large, not our own side.
        messageBytesMax: 16 * 1_048_576,
      });
      closing.push(() => {
        link.close();
        tls.value.close();
      });
      return link;
    },
    store: reader,
    async supervise({ listens, pool = POOL, credential = CREDENTIAL, gateway: other }) {
      const credentialFile = join(folder, `credential-${supervised.length}`);
      await writeFile(credentialFile, credential);
      const { 'signing-keys': _unused, ...files } = await common('supervisor');
      const process = part();
      const started = await supervisor.wire(
        read(supervisor.readConfig, {
          ...files,
          gateway: other ?? `127.0.0.1:${ports.supervisor}`,
          pool,
          'credential-file': credentialFile,
          capacity: '100',
          ...(listens
            ? {
                'app-listen': '127.0.0.1:0',
                domain: DOMAIN,
                'app-cert-file': pki.apps.certFile,
                'app-key-file': pki.apps.keyFile,
              }
            : {}),
        }),
        process,
      );
      supervised.push(started);
      return { supervisor: started, metrics: process.metrics };
    },
    refusedCount: (port, method, status) =>
      sample(metricsOf[port], `sallyport_${componentOf[port]}_calls_refused_total{method="${method}",status="${status}"}`),
    fencedCount: (clause) => sample(parts.gateway.metrics, `sallyport_gateway_fence_rejected_total{clause="${clause}"}`),
    refusalLines: (what = 'call') => lines.filter((line) => line.includes(`"msg":"${what} refused"`)),
    mark: () => lines.length,
    linesSince: (mark) => lines.slice(mark).filter((line) => /"level":"(warn|error)"/.test(line)),
    async records() {
      const listed = await reader.list(ROOT);
      if (listed.kind === 'unavailable') throw new Error('the store does not answer');
      return new Map(
        listed.value.filter(({ key }) => !OWN.test(key)).map(({ key, modRevision }) => [key, modRevision as bigint]),
      );
    },
    async close() {
      stopping.abort();
      for (const act of closing) act();
      for (const each of supervised) await each.drain(AbortSignal.abort());
      await theDiscovery.drain(AbortSignal.abort());
      await theGateway.drain(AbortSignal.abort());
      await driver.drain(AbortSignal.abort());
      clock.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function sample(metrics: Metrics, start: string): Promise<number> {
  const line = (await metrics.text()).split('\n').find((each) => each.startsWith(start));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
}

function read<C>(readConfig: (source: Source) => Reading<C>, options: Readonly<Record<string, string>>): C {
  const reading = readConfig({ env: {}, args: Object.entries(options).map(([name, value]) => `--${name}=${value}`) });
  if (reading.kind !== 'read') throw new Error(reading.kind === 'invalid' ? reading.problems.join('; ') : reading.kind);
  return reading.config;
}
