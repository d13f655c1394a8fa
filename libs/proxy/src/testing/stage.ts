import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { type Standing, startStanding } from '@sallyport/authority';
import {
  type ConfiguredService,
  DEFAULT_POLICY,
  type Host,
  type Instant,
  later,
  NEVER,
  type SandboxId,
  type ServiceName,
} from '@sallyport/model';
import { createClock } from '@sallyport/process';
import { createManualClock, type ManualClock } from '@sallyport/process/manual-clock';
import { EMPTY_TABLE, install, type RouteTable } from '@sallyport/routes';
import {
  type CidrSet,
  type Clock,
  type ConnectionEvent,
  type Connector,
  createInstances,
  createLoopback,
  DEFAULT_LIMITS,
  type ExchangeRecord,
  type Instance,
  type Instances,
  type Limits,
  type Listener,
  listenForApps,
  NO_CIDRS,
  watchCertificates,
} from '../index.ts';
import { makePair, type TestPair } from './certificate.ts';
import { connectTls, type RawClient } from './client.ts';

let sharedPair: TestPair | undefined;

/** One sandbox on the stage, driven as a supervisor would. */
export interface TestSandbox {
  readonly instance: Instance;
  /** Replaces what it serves, with the rule of withdrawal. */
  serve(ports: Readonly<Record<string, number>>, change?: Partial<ConfiguredService>): void;
  stand(change: Partial<Standing>): void;
}

export interface Stage<C extends Clock = Clock> {
  readonly listener: Listener;
  readonly instances: Instances;
  readonly clock: C;
  readonly records: ExchangeRecord[];
  readonly events: ConnectionEvent[];
  readonly forbiddenPorts: Set<number>;
  sandbox(id: string, ports?: Readonly<Record<string, number>>, connector?: Connector): TestSandbox;
  connect(host: string, options?: ConnectionOptions): Promise<RawClient>;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly limits?: Partial<Limits>;
  readonly trusted?: CidrSet;
  readonly clientCa?: string;
}

export const hostNamed = (label: string): Host => `${label}.apps.test` as Host;

export const startStage = (options: StageOptions = {}): Promise<Stage> => stageWith(createClock(), options);
/** On a clock that stands still until it is told. */
export const startManualStage = (options: StageOptions = {}): Promise<Stage<ManualClock>> =>
  stageWith(createManualClock(), options);

async function stageWith<C extends Clock>(
  clock: C,
  { limits: changed = {}, trusted = NO_CIDRS, clientCa }: StageOptions,
): Promise<Stage<C>> {
  const limits = { ...DEFAULT_LIMITS, ...changed };
  sharedPair ??= makePair(['*.apps.test']);
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-stage-'));
  const [certFile, keyFile, clientCaFile] = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(certFile, sharedPair.cert);
  writeFileSync(keyFile, sharedPair.key);
  if (clientCa !== undefined) writeFileSync(clientCaFile, clientCa);
  const certificates = await watchCertificates({
    pairs: [{ certFile, keyFile }],
    clientCaFile: clientCa === undefined ? undefined : clientCaFile,
    clock,
    onProblem: () => {},
    onSwapped: () => {},
  });
  if (!certificates.ok) throw new Error(certificates.error);
  const instances = createInstances({ clock });
  const records: ExchangeRecord[] = [];
  const events: ConnectionEvent[] = [];
  const forbiddenPorts = new Set<number>();
  const listener = await listenForApps({
    address: '127.0.0.1',
    port: 0,
    certificates: certificates.value,
    instances,
    limits,
    trusted,
    clock,
    onExchange: (record) => records.push(record),
    onConnection: (event) => events.push(event),
  });
  forbiddenPorts.add(listener.port);
  const clients: RawClient[] = [];

  const loopback = createLoopback({ clock, forbiddenPorts, dialMs: limits.dialMs, lends: true });

  function sandbox(id: string, ports: Readonly<Record<string, number>> = {}, connector: Connector = loopback): TestSandbox {
    const instance = instances.start({ sandboxId: id as SandboxId, mode: 'dedicated', connector, limits });
    let table: RouteTable = EMPTY_TABLE;
    let standing: Standing = { ...startStanding('dedicated'), acknowledged: true, freshUntil: NEVER as Instant };
    const made: TestSandbox = {
      instance,
      serve(next, change = {}) {
        const services = Object.entries(next).map(([label, port]) => ({
          service: label as ServiceName,
          port,
          policy: DEFAULT_POLICY,
          host: hostNamed(label),
          ...change,
        }));
        const installed = install(table, services);
        table = installed.table;
        instance.update(table, standing);
        instance.withdraw(installed.withdrawn, 'withdrawn');
      },
      stand(change) {
        standing = { ...standing, ...change };
        instance.update(table, standing);
      },
    };
    made.serve(ports);
    return made;
  }

  return {
    listener,
    instances,
    clock,
    records,
    events,
    forbiddenPorts,
    sandbox,
    async connect(host, options) {
      const client = await connectTls(listener.port, host, options);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.socket.destroy();
      for (const instance of instances.all()) instance.stop('stopped');
      const drained = listener.drain(0);
      if ('advance' in clock) (clock as unknown as ManualClock).advance(1);
      await drained;
      certificates.value.stop();
      if ('stop' in clock) (clock as unknown as { stop(): void }).stop();
      rmSync(directory, { recursive: true });
    },
  };
}

export const in30s = (clock: Clock): Instant => later(clock.now(), 30_000);
