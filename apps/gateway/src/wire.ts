import { formatAddress } from '@sallyport/model';
import { CannotStart, createRefusals, type Process, type Running, VERSION } from '@sallyport/process';
import type { Store } from '@sallyport/store';
import { bind, gatewayV1, listen, openLink, openSigningKeys, openTlsFiles, supervisorV1, type TlsSource } from '@sallyport/wire';
import { createBoundaryAuthority } from './boundary-authority.ts';
import { createCheckService } from './check-service.ts';
import type { Config } from './config.ts';
import { createSupervisorProof } from './credentials.ts';
import { createDeclarations } from './declarations.ts';
import { createDriver } from './driver.ts';
import { createGenerationService } from './generation-service.ts';
import { createGenerations } from './generations.ts';
import { createGrantService } from './grant-service.ts';
import { createGrants } from './grants.ts';
import { createGatewayMetrics } from './metrics.ts';
import { createOperatorService } from './operator-service.ts';
import { createOperators } from './operators.ts';
import { createRegistrations } from './registrations.ts';
import { startReplica } from './replica.ts';
import { followServiceStates } from './service-since.ts';
import { createServiceStates } from './service-states.ts';
import { statusOf } from './status.ts';
import { watchDriver } from './workload-events.ts';
import { followWorkloads } from './workloads.ts';

/** A running gateway, as the dev stack sees it. */
export interface Gateway extends Running {
  readonly operatorAddress: { readonly host: string; readonly port: number };
  readonly supervisorAddress: { readonly host: string; readonly port: number };
}

/** Gateways, supervisors and discovery all end their calls within this once asked to. */
const CLOSE_MS = 1_000;

export interface Given {
  readonly store: Store;
  /** What to write into public URLs, where it is only known once everything listens. */
  readonly urlPort?: () => number;
}

export async function wire(config: Config, process: Process, { store, urlPort = () => config.urlPort }: Given): Promise<Gateway> {
  const { clock, log, metrics, randomId } = process;
  const must = <T>(opened: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string }): T => {
    if (!opened.ok) throw new CannotStart(opened.error);
    return opened.value;
  };
  const onChange = (problem: string | undefined): void => {
    if (problem !== undefined) log.error({ problem }, 'certificates not taken: the old ones stay');
  };
  const tls = must(await openTlsFiles(config.tls, { onChange }));
  const { certFile, keyFile } = config.operatorTls;
  const operatorTls: TlsSource =
    certFile === undefined || keyFile === undefined
      ? tls
      : must(await openTlsFiles({ caFile: config.tls.caFile, certFile, keyFile }, { onChange }));
  const keys = must(await openSigningKeys(config.signingKeys));

  const seen = createGatewayMetrics(metrics, clock);
  let operatorAddress = config.operatorListen;
  const driverLink = openLink({
    target: formatAddress(config.driver),
    tls,
    showsCertificate: true,
    server: { kind: 'app', app: 'driver', trustDomain: config.trustDomain },
  });
  const driver = createDriver(driverLink);
  const replica = await startReplica({
    store: seen.measured(store),
    clock,
    unixMs: Date.now,
    log,
    randomId,
    driver,
    prove: (world) => createSupervisorProof(world, keys, driver),
    boundary: createBoundaryAuthority(keys, tls, config.trustDomain),
    address: () => formatAddress(operatorAddress),
    version: VERSION,
    onRefused: seen.refused,
    onOwnership: seen.owned,
  });
  const { world, reached, writer, sessions, membership, view } = replica;

  const onFault = (path: string, error: unknown): void => log.error({ path, err: error }, 'a call failed unexpectedly');
  const onRefused = createRefusals('gateway', metrics, log);
  const declarations = createDeclarations({ world, reached, writer, domain: config.domain });
  const registrations = createRegistrations({ world, reached, writer, driver, keys, randomId });
  const workloads = config.followWorkloads
    ? followWorkloads({
        watch: () => watchDriver(driverLink),
        registrations,
        declarations,
        world,
        defaultPool: config.defaultPool,
        clock,
        log,
      })
    : undefined;
  const states = followServiceStates(createServiceStates(world, sessions, urlPort), { world, view, clock });
  const operators = createOperators(keys, log);
  const operatorServer = await listen({
    address: config.operatorListen,
    tls: operatorTls,
    trustDomain: config.trustDomain,
    clients: { kind: 'certificate-or-bearer', apps: ['operator'] },
    services: [
      bind(gatewayV1.GatewayServiceService, {
        ...createOperatorService({
          world,
          operators,
          declarations,
          registrations,
          states,
          defaultPool: config.defaultPool,
          status: (maySee) => ({
            ...statusOf(world, membership, sessions, config.domain),
            urlPort: urlPort(),
            ...(workloads?.problems.shown(maySee) ?? { problems: [], problemCount: 0 }),
          }),
        }),
        ...createCheckService({
          operators,
          driver: { link: driverLink, address: config.driver },
          store: { server: store.server, connected: () => view.connected() },
          hasAuthority: () => replica.ageMs() !== undefined,
        }),
        ...createGrantService(operators, createGrants({ world, reached, writer })),
        ...createGenerationService(operators, createGenerations({ world, reached, writer, randomId, unixMs: Date.now })),
      }),
    ],
    onFault,
    onRefused,
  });
  operatorAddress = operatorServer.address;
  const supervisorServer = await listen({
    address: config.supervisorListen,
    tls,
    trustDomain: config.trustDomain,
    clients: { kind: 'certificate', apps: ['supervisor'] },
    services: [
      bind(supervisorV1.SupervisorServiceService, {
        join: (stream) => replica.joins.serve(stream),
        session: replica.serveSession,
        pollConfiguration: replica.servePoll,
      }),
    ],
    onFault,
    onRefused,
  });
  log.info({ operator: operatorServer.address, supervisor: supervisorServer.address }, 'listening');
  seen.observe({ world, sessionCount: () => sessions.count(), hasAuthority: () => replica.ageMs() !== undefined });

  return {
    operatorAddress: operatorServer.address,
    supervisorAddress: supervisorServer.address,
    listens: { operator: operatorServer.address, supervisor: supervisorServer.address },
    ready: () => [
      { name: 'store', ok: view.complete() && view.connected(), detail: view.connected() ? 'connected' : 'disconnected' },
      {
        name: 'authority',
        ok: replica.ageMs() !== undefined,
        detail: replica.ageMs() === undefined ? 'none: nothing is granted' : 'held',
      },
    ],
    async drain(deadline) {
      workloads?.stop();
      await replica.sendAway(config.process.drainMs / 2, deadline);
      await Promise.all([operatorServer.close(CLOSE_MS), supervisorServer.close(CLOSE_MS)]);
      await replica.stop();
      driverLink.close();
      keys.close();
      tls.close();
      if (operatorTls !== tls) operatorTls.close();
    },
  };
}
