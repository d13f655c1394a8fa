import { type Standing, startStanding } from '@sallyport/authority';
import { type ConfiguredService, DEFAULT_POLICY, type Host, later, ok, type SandboxId, type ServiceName } from '@sallyport/model';
import { type Process, type Running, readAll, readProcess, run, type Source } from '@sallyport/process';
import { createInstances, createLoopback, DEFAULT_LIMITS, NO_CIDRS } from '@sallyport/proxy';
import { EMPTY_TABLE, install } from '@sallyport/routes';
import { createExchangeMetrics, openAppListener } from '@sallyport/supervisor';

/** As a gateway renews them: leases of 15 s each 5 s, freshness of 30 s with each heartbeat. */
const [LEASE_MS, FRESHNESS_MS, RENEWED_EACH_MS] = [15_000, 30_000, 5_000];

/** The limits as shipped are for one client address, and all load comes from this machine. */
const COUNT_MAX = 12_000;
const LIMITS = {
  ...DEFAULT_LIMITS,
  connectionsMax: COUNT_MAX,
  connectionsPerInstanceMax: COUNT_MAX,
  connectionsPerClientMax: COUNT_MAX,
  streamsPerRouteMax: COUNT_MAX,
};

const readConfig = (source: Source) =>
  readAll(source, (read) => ({
    process: readProcess(read, { adminPort: 0 }),
    listen: read.address('app-listen', 'address of the application listener'),
    host: read.parsed('host', 'host to serve', (text) => ok(text as Host)),
    appPort: read.integer('app-port', 'port of the application', { min: 1, max: 65_535 }),
    certFile: read.file('app-cert-file', 'certificate, PEM'),
    keyFile: read.file('app-key-file', 'its key, PEM'),
  }));

type Config = Extract<ReturnType<typeof readConfig>, { kind: 'read' }>['config'];

/**
 * A supervisor whose gateway never fails: the listener, the instance and the judgement of each request and each piece are
 * those of `apps/supervisor`, and what a gateway would say comes from a timer.
 */
async function wire(
  { listen, host, appPort, certFile, keyFile, process: { drainMs } }: Config,
  process: Process,
): Promise<Running> {
  const { clock, metrics } = process;
  const instances = createInstances({ clock });
  const listener = await openAppListener(
    {
      address: listen,
      certFile,
      keyFile,
      limits: LIMITS,
      trusted: NO_CIDRS,
      instances,
      exchanges: createExchangeMetrics(metrics, instances),
    },
    process,
  );
  const forbiddenPorts = new Set([process.admin.port, listener.port]);
  const instance = instances.start({
    sandboxId: 'bench' as SandboxId,
    mode: 'shared',
    limits: LIMITS,
    connector: createLoopback({ clock, forbiddenPorts, dialMs: LIMITS.dialMs, lends: true }),
  });
  const service: ConfiguredService = { service: 'web' as ServiceName, port: appPort, policy: DEFAULT_POLICY, host };
  const { table } = install(EMPTY_TABLE, [service]);
  let standing: Standing = { ...startStanding('shared'), acknowledged: true };
  const renew = (): void => {
    const now = clock.now();
    standing = { ...standing, freshUntil: later(now, FRESHNESS_MS), leaseUntil: later(now, LEASE_MS) };
    instance.update(table, standing);
  };
  renew();
  const stopRenewing = clock.every(RENEWED_EACH_MS, renew);

  return {
    listens: { app: { host: listen.host, port: listener.port } },
    ready: () => [],
    async drain(deadline) {
      stopRenewing();
      await listener.drain(deadline.aborted ? 0 : drainMs);
      instance.stop('stopped');
      listener.stop();
    },
  };
}

await run('supervisor', readConfig, wire);
