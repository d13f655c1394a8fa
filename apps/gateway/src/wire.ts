import type { RecordChange } from '@sallyport/authority';
import type { Generation, OwnerEpoch, PoolId, SandboxId } from '@sallyport/model';
import { type Process, type Running, VERSION } from '@sallyport/process';
import { generationKey, type Store } from '@sallyport/store';
import { followWorld, operationIdOf } from '@sallyport/view';
import {
  bind,
  encodeGeneration,
  formatTarget,
  gatewayV1,
  listen,
  openLink,
  openSigningKeys,
  openTlsFiles,
  supervisorV1,
  type TlsSource,
} from '@sallyport/wire';
import { type Assigner, startAssigner } from './assign.ts';
import type { Config } from './config.ts';
import { createSupervisorProof } from './credentials.ts';
import { createDeclarations } from './declarations.ts';
import { createDriver } from './driver.ts';
import { createJoins } from './joins.ts';
import { joinGateways } from './membership.ts';
import { createOperatorService } from './operator-service.ts';
import { createOperators } from './operators.ts';
import { createOwnershipWrites } from './ownership-writes.ts';
import { createPollService } from './poll-service.ts';
import { createPublisher } from './publish.ts';
import { createRegistrations } from './registrations.ts';
import { type Renewals, startRenewals } from './renewals.ts';
import { createServiceStates } from './service-states.ts';
import { createSessionService } from './session-service.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { statusOf } from './status.ts';
import { createWriter } from './writer.ts';

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
    if (!opened.ok) throw new Error(opened.error);
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

  const refused = metrics.counter('sallyport_gateway_fence_rejected_total', 'Reports refused, by the clause that refused them.', [
    'clause',
  ]);
  const view = followWorld({
    store,
    clock,
    onRelist: (why) => log.warn({ why }, 'listing the store anew'),
    onProblem: (problem) => log.error({ problem }, 'a record cannot be read: it counts as absent'),
  });
  await view.ready;
  await beginGeneration(store, randomId);

  let operatorAddress = config.operatorListen;
  const membership = await joinGateways({
    store,
    clock,
    log,
    randomId,
    version: VERSION,
    address: () => formatTarget(operatorAddress),
  });
  const { world } = view;
  const reached = view.reached;
  const writer = createWriter({ store, membership, randomId, opIdOf: operationIdOf });
  const driverLink = openLink({
    target: formatTarget(config.driver),
    tls,
    showsCertificate: true,
    server: { kind: 'app', app: 'driver', trustDomain: config.trustDomain },
  });
  const driver = createDriver(driverLink);
  const writes = createOwnershipWrites(world, writer, log);
  const publish = createPublisher({ world, writer, membership, clock, driver });
  const prove = createSupervisorProof(world, keys, driver);

  let renewals: Renewals | undefined;
  const ageMs = (): number | undefined => renewals?.ageMs();
  const sessions: Sessions = createSessions({
    gatewayId: () => membership.current()?.gatewayId ?? 'none',
    world,
    acts: {
      acknowledge: (state, answer) => void writes.acknowledge(state, answer),
      publish,
      released: (state, epoch, acknowledged) =>
        void writes.release(state, epoch as OwnerEpoch).then((outcome) => {
          if (outcome === 'written') acknowledged();
        }),
      refused: (_state, clause) => refused.add(1, { clause }),
    },
    ageMs,
    wantsRelease: ({ sandboxId, memberId }) => {
      const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
      return poolId !== undefined && world.members(poolId).get(memberId)?.value.draining === true;
    },
    clock,
    log,
    randomId,
  });
  const joins = createJoins({ world, reached, writer, membership, prove, clock, log, randomId });
  const assigner: Assigner = startAssigner({ world, membership, sessions: () => sessions, writes, clock });
  view.onChange((changes) => {
    const { sandboxIds, pools } = affectedBy(changes);
    for (const poolId of pools) for (const sandboxId of world.sandboxesOf(poolId)) sandboxIds.add(sandboxId);
    for (const sandboxId of sandboxIds) {
      const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
      if (poolId !== undefined) pools.add(poolId);
    }
    assigner.moved(changes, sandboxIds);
    joins.moved(pools);
    sessions.moved(sandboxIds);
  });
  renewals = startRenewals({ world, reached, writer, membership, sessions: () => sessions, clock, log });
  // A new incarnation has no sessions on record: their supervisors come back at once, and serving goes on meanwhile.
  membership.onChange(() => {
    for (const session of [...sessions.all()]) session.close();
    joins.endAll();
  });

  const onFault = (path: string, error: unknown): void => log.error({ path, err: error }, 'a call failed unexpectedly');
  const declarations = createDeclarations({ world, reached, writer, domain: config.domain });
  const registrations = createRegistrations({ world, reached, writer, driver, keys, randomId });
  const states = createServiceStates(world, sessions, urlPort);
  const operatorServer = await listen({
    address: config.operatorListen,
    tls: operatorTls,
    trustDomain: config.trustDomain,
    clients: { kind: 'certificate-or-bearer', apps: ['operator'] },
    services: [
      bind(
        gatewayV1.GatewayServiceService,
        createOperatorService({
          world,
          operators: createOperators(keys, log),
          declarations,
          registrations,
          states,
          status: () => statusOf(world, membership, sessions, config.domain),
        }),
      ),
    ],
    onFault,
  });
  operatorAddress = operatorServer.address;
  const supervisorServer = await listen({
    address: config.supervisorListen,
    tls,
    trustDomain: config.trustDomain,
    clients: { kind: 'certificate', apps: ['supervisor'] },
    services: [
      bind(supervisorV1.SupervisorServiceService, {
        join: (stream) => joins.serve(stream),
        session: createSessionService({ world, reached, writer, membership, joins, sessions, prove, log, randomId }),
        pollConfiguration: createPollService({ world, joins, prove, ageMs }),
      }),
    ],
    onFault,
  });
  log.info({ operator: operatorServer.address, supervisor: supervisorServer.address }, 'listening');
  metrics.observed('sallyport_gateway_sessions', 'Sessions that this replica holds.', () => sessions.count());
  metrics.observed('sallyport_gateway_has_authority', 'Whether this replica may write now: 1 or 0.', () =>
    ageMs() === undefined ? 0 : 1,
  );

  return {
    operatorAddress: operatorServer.address,
    supervisorAddress: supervisorServer.address,
    ready: () => [
      { name: 'store', ok: view.complete() && view.connected(), detail: view.connected() ? 'connected' : 'disconnected' },
      { name: 'authority', ok: ageMs() !== undefined, detail: ageMs() === undefined ? 'none: nothing is granted' : 'held' },
    ],
    async drain() {
      assigner.stop();
      renewals?.stop();
      joins.endAll();
      await Promise.all([operatorServer.close(CLOSE_MS), supervisorServer.close(CLOSE_MS)]);
      driverLink.close();
      await membership.leave();
      view.close();
      keys.close();
      tls.close();
      if (operatorTls !== tls) operatorTls.close();
    },
  };
}

/** The first gateway of a new store begins its generation; a restore from backup begins another. */
async function beginGeneration(store: Store, randomId: () => string): Promise<void> {
  const value = encodeGeneration(randomId() as Generation, randomId());
  await store.commit({ guards: [{ key: generationKey, is: 'absent' }], changes: [{ kind: 'put', key: generationKey, value }] });
}

/** Which sandboxes and pools a batch of changes is about. */
function affectedBy(changes: readonly RecordChange[]): { readonly sandboxIds: Set<SandboxId>; readonly pools: Set<PoolId> } {
  const sandboxIds = new Set<SandboxId>();
  const pools = new Set<PoolId>();
  for (const { key } of changes) {
    if ('sandboxId' in key) sandboxIds.add(key.sandboxId);
    else if (key.kind === 'member') pools.add(key.poolId);
  }
  return { sandboxIds, pools };
}
