import { type Standing, startStanding } from '@sallyport/authority';
import {
  type ConfiguredService,
  DEFAULT_POLICY,
  type Host,
  hostOf,
  NEVER,
  type SandboxId,
  type ServiceName,
} from '@sallyport/model';
import { type Clock, createClock, sha256hex } from '@sallyport/process';
import { livelyMachine } from '@sallyport/process/lively';
import {
  type Certificates,
  type CidrSet,
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
} from '@sallyport/proxy';
import { EMPTY_TABLE, install, type RouteTable } from '@sallyport/routes';
import { DOMAIN } from './certificate.ts';

/** One sandbox, driven as the supervisor's loops drive it. */
export interface Sandbox {
  readonly instance: Instance;
  /** Replaces what it serves: service name → port. */
  serve(services: Readonly<Record<string, number>>, policy?: Partial<ConfiguredService['policy']>): void;
  stand(change: Partial<Standing>): void;
}

/** The data plane of a supervisor, wired as its `wire.ts` does it, without a gateway to tell it what to serve. */
export interface Supervisor {
  readonly listener: Listener;
  readonly instances: Instances;
  readonly records: ExchangeRecord[];
  sandbox(name: string, services: Readonly<Record<string, number>>): Sandbox;
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  readonly certificates: Certificates;
  readonly limits?: Partial<Limits> | undefined;
  readonly trusted?: CidrSet;
  /** Of the process, where there is one; else a clock of its own, that stops with it, and with a machine that stands still. */
  readonly clock?: Clock;
}

export const hostNamed = (sandbox: string, service: string): Host =>
  hostOf({ workspace: 'team', sandbox, service } as Parameters<typeof hostOf>[0], DOMAIN, sha256hex);

export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const own = options.clock === undefined ? createClock(livelyMachine) : undefined;
  const clock = options.clock ?? (own as Clock);
  const instances = createInstances({ clock });
  const records: ExchangeRecord[] = [];
  const forbiddenPorts = new Set<number>();
  const listener = await listenForApps({
    address: '127.0.0.1',
    port: 0,
    certificates: options.certificates,
    instances,
    limits,
    trusted: options.trusted ?? NO_CIDRS,
    clock,
    onExchange: (record) => records.push(record),
    onConnection: () => {},
  });
  forbiddenPorts.add(listener.port);

  return {
    listener,
    instances,
    records,
    sandbox(name, services) {
      const connector = createLoopback({ clock, forbiddenPorts, dialMs: limits.dialMs, lends: true });
      const instance = instances.start({ sandboxId: `id-${name}` as SandboxId, mode: 'dedicated', connector, limits });
      let table: RouteTable = EMPTY_TABLE;
      let standing: Standing = { ...startStanding('dedicated'), acknowledged: true, freshUntil: NEVER };
      const sandbox: Sandbox = {
        instance,
        serve(next, policy = {}) {
          const configured = Object.entries(next).map(([service, port]) => ({
            service: service as ServiceName,
            port,
            policy: { ...DEFAULT_POLICY, ...policy },
            host: hostNamed(name, service),
          }));
          const installed = install(table, configured);
          table = installed.table;
          instance.update(table, standing);
          instance.withdraw(installed.withdrawn, 'withdrawn');
        },
        stand(change) {
          standing = { ...standing, ...change };
          instance.update(table, standing);
        },
      };
      sandbox.serve(services);
      return sandbox;
    },
    async stop() {
      for (const instance of instances.all()) instance.stop('stopped');
      await listener.drain(0);
      own?.stop();
    },
  };
}
