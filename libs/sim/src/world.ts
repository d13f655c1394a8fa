import type { MemberId, PoolId, SandboxName, WorkspaceId } from '@sallyport/model';
import { createCoverage } from './coverage.ts';
import { createConnections } from './net/connections.ts';
import { createNetwork } from './net/network.ts';
import { createBoundaries } from './nodes/boundaries.ts';
import { type ConsumerLife, type ConsumerNode, createConsumerNode } from './nodes/consumer-node.ts';
import { createGatewayNode, type GatewayNode, sandboxToken } from './nodes/gateway-node.ts';
import { createOperator, type Operator, type SandboxSpec } from './nodes/operator.ts';
import { createPods } from './nodes/pods.ts';
import { createReaderNode, type ReaderLife, type ReaderNode } from './nodes/reader-node.ts';
import {
  createSupervisorNode,
  type SupervisorIdentity,
  type SupervisorLife,
  type SupervisorNode,
} from './nodes/supervisor-node.ts';
import type { Surroundings } from './nodes/surroundings.ts';
import type { Random } from './random.ts';
import type { Shape } from './shape.ts';
import type { StoreCount } from './store/faults.ts';
import { createSimStore } from './store/sim-store.ts';
import { createSchedule } from './time/schedule.ts';
import { createSimProcess, type SimProcess } from './time/sim-process.ts';
import { createTranscript, type Reads } from './transcript.ts';
import { createByteTruth } from './truth/bytes.ts';
import { watchCommits } from './truth/commits.ts';
import { createNames } from './truth/names.ts';
import { watchOvertaken } from './truth/overtaken.ts';
import { createPublications, type Publications } from './truth/publications.ts';
import { type ServingWatch, watchServing } from './truth/serving.ts';
import { watchStood } from './truth/stood.ts';
import { createStreamTruth } from './truth/streams.ts';
import { createTenures } from './truth/tenures.ts';
import { followTruth, type TrueStore } from './truth/true-store.ts';
import { createCourt } from './truth/violations.ts';
import { createWireTruth } from './truth/wire-truth.ts';

/** Everything that there is, wired by hand. Nothing runs yet: `begin` starts it, `run` lets time pass. */
export interface SimWorld extends Surroundings {
  readonly gateways: readonly GatewayNode[];
  readonly supervisors: readonly SupervisorNode[];
  readonly readers: readonly ReaderNode[];
  readonly consumers: readonly ConsumerNode[];
  readonly operator: Operator;
  readonly sandboxes: readonly SandboxSpec[];
  readonly truth: TrueStore;
  readonly serving: ServingWatch;
  readonly publications: Publications;
  /** Starts all there is and asks for the sandboxes. */
  begin(): void;
  /** Starts a supervisor again, with what it needs to know now. False: its sandbox does not exist yet. */
  startSupervisor(node: SupervisorNode): boolean;
  /** Restarts the supervisors of a dedicated sandbox, with the token of its present epoch. */
  reissue(spec: SandboxSpec): void;
  /** Lets time pass, and judges after each event. Stops at the first violation. */
  run(ms: number): Promise<void>;
}

export interface WorldOptions {
  readonly shape: Shape;
  readonly random: Random;
  readonly reads: Reads;
}

/** 2026-01-01: epochs follow the wall clock. */
const WALL_ORIGIN_MS = Date.UTC(2026, 0, 1);
const WALL_OFFSET_MS = 3_600_000;
const LOOK_AT_READERS_EACH = 32;
const READER = 'r'.charCodeAt(0);

export function createSimWorld({ shape, random, reads }: WorldOptions): SimWorld {
  const schedule = createSchedule();
  const now = schedule.now;
  const court = createCourt(now);
  const coverage = createCoverage();
  const transcript = createTranscript(now, reads);
  const names = createNames();
  const network = createNetwork({ random: random.fork('network'), calm: shape.calm });
  const connections = createConnections({ schedule, network, random: random.fork('connections') });
  const lifeCounts = new Map<string, number>();

  function spawn(place: string): SimProcess {
    const life = (lifeCounts.get(place) ?? 0) + 1;
    lifeCounts.set(place, life);
    const name = `${place}.${life}`;
    const own = random.fork(name);
    const rate = shape.calm ? 1 : own.between(0.99, 1.01);
    const wallOriginMs = WALL_ORIGIN_MS + (shape.calm ? 0 : own.between(-WALL_OFFSET_MS, WALL_OFFSET_MS));
    return createSimProcess({ name, schedule, random: own, rate, wallOriginMs });
  }

  const storeProcess = spawn('store');
  const store = createSimStore({
    schedule,
    network,
    random: random.fork('store'),
    process: storeProcess,
    seen: {
      decided: (...all) => commits.decided(...all),
      count: (what: StoreCount) => {
        coverage[what] += 1;
      },
      entriesAt: (revision, prefix) => truth.entriesAt(revision, prefix),
    },
  });
  const truth = followTruth(store.direct);
  const { world } = truth;
  const commits = watchCommits({ world, court, names, transcript });

  const livesOf = (): readonly SupervisorLife[] => supervisors.flatMap((node) => node.life() ?? []);
  const consumerLives = (): readonly ConsumerLife[] => consumers.flatMap((node) => node.life() ?? []);
  const readerLives = (): readonly ReaderLife[] => readers.flatMap((node) => node.life() ?? []);
  const bytes = createByteTruth({ now, court, coverage, names, tenures: () => tenures, transcript });
  const tenures = createTenures({
    world,
    now,
    court,
    coverage,
    names,
    isDead: (memberId) => !livesOf().some((life) => life.memberId === memberId),
    hasObeyed: (runtimeId, epoch) => bytes.hasObeyed(runtimeId, epoch),
    isFrozen: (memberId) => livesOf().some((life) => life.memberId === memberId && !life.process.awake()),
  });
  const overtaken = watchOvertaken(world, now);
  const wire = createWireTruth({
    now,
    court,
    coverage,
    transcript,
    names,
    tenures,
    overtaken,
    ownerSeenBy: (process, sandboxId) =>
      gateways
        .map((node) => node.life())
        .find((life) => life?.process === process)
        ?.replica.world.owners.get(sandboxId)?.value,
  });
  const boundaries = createBoundaries(() => surroundings, shape.calm);
  const pods = createPods({
    boundary: (workspace, sandbox, runtimeId) =>
      shape.sandboxes.find(({ name }) => name === sandbox)?.boundary === true
        ? boundaries.begin(`${workspace}/${sandbox}`, runtimeId)
        : undefined,
  });
  const surroundings: Surroundings = {
    schedule,
    network,
    connections,
    store,
    pods,
    boundaries,
    random,
    court,
    coverage,
    transcript,
    wire,
    bytes,
    streams: createStreamTruth({ court, coverage }),
    spawn,
  };
  const gateways = shape.gateways.map((place) => createGatewayNode(place, surroundings));
  const supervisors = shape.members.map(({ place }) => createSupervisorNode(place, gateways, surroundings));
  const readers = shape.readers.map((place) => createReaderNode(place, surroundings));
  const consumers = shape.consumers.map((place) => createConsumerNode(place, readers, surroundings));
  const operator = createOperator(gateways, world, random.fork('operator'), surroundings);
  const sandboxes: SandboxSpec[] = shape.sandboxes.map(({ workspace, name, mode, pool, published }) => ({
    workspace: workspace as WorkspaceId,
    sandbox: name as SandboxName,
    mode,
    poolId: pool as PoolId,
    published,
  }));
  const workspaces = [...new Set(sandboxes.map(({ workspace }) => workspace))];
  const serving = watchServing({ nodes: supervisors, world, now, court, names, tenures, wire, bytes, transcript });
  const stood = watchStood(world, now);
  const publications = createPublications({ world, now, court, coverage, names, wire, stood, transcript });

  truth.onChange((changes) => {
    tenures.changed(changes);
    overtaken.changed(changes);
    commits.changed(changes);
    stood.changed(changes);
  });

  function identityOf(node: SupervisorNode): SupervisorIdentity | undefined {
    const member = shape.members.find(({ place }) => place === node.place);
    if (member === undefined) return undefined;
    const { delivery, advertises, staysInPod } = member;
    if (member.of.kind === 'pool')
      return {
        poolId: member.of.pool as PoolId,
        credential: (memberId: MemberId) => `secret-of-${memberId}`,
        delivery,
        advertises,
        staysInPod,
      };
    const name = member.of.sandbox;
    const spec = sandboxes.find(({ sandbox }) => sandbox === name);
    const sandboxId = spec === undefined ? undefined : operator.idOf(spec);
    const poolId = sandboxId === undefined ? undefined : world.sandboxes.get(sandboxId)?.value.poolId;
    const epoch = sandboxId === undefined ? undefined : world.credentials.get(sandboxId)?.value;
    if (sandboxId === undefined || poolId === undefined || epoch === undefined) return undefined;
    // Whom the driver knows proves itself by its Pod; others by the sandbox's token.
    const credential = (memberId: MemberId): string =>
      staysInPod ? `secret-of-${memberId}` : sandboxToken(sandboxId, poolId, epoch);
    return { poolId, credential, delivery, advertises, staysInPod };
  }

  function startSupervisor(node: SupervisorNode): boolean {
    const identity = identityOf(node);
    if (identity !== undefined) node.start(identity);
    return identity !== undefined;
  }

  function reissue(spec: SandboxSpec): void {
    for (const [index, { of }] of shape.members.entries()) {
      if (of.kind !== 'sandbox' || of.sandbox !== spec.sandbox) continue;
      const node = supervisors[index];
      node?.crash();
      if (node !== undefined) startSupervisor(node);
    }
  }

  let eventCount = 0;
  function judge(who: string): 'go on' | 'stop' {
    serving.look();
    eventCount += 1;
    // What was thrown was caught by whoever let time pass.
    court.looked('nothing throws');
    // What is shown changes by the reader's own events; it becomes wrong by time as well, seconds later.
    const all = eventCount % LOOK_AT_READERS_EACH === 0;
    if (all || who.charCodeAt(0) === READER) publications.look(readerLives(), consumerLives(), all);
    return court.violations.length > 0 ? 'stop' : 'go on';
  }

  return {
    ...surroundings,
    gateways,
    supervisors,
    readers,
    consumers,
    operator,
    sandboxes,
    truth,
    serving,
    publications,
    startSupervisor,
    reissue,
    begin() {
      for (const node of gateways) node.start();
      operator.grant(workspaces);
      for (const node of readers) node.start();
      for (const node of consumers) node.start();
      for (const [index, { of }] of shape.members.entries()) {
        const node = supervisors[index];
        if (of.kind === 'pool' && node !== undefined) startSupervisor(node);
      }
      for (const spec of sandboxes)
        void operator.register(spec).then(async () => {
          if (spec.mode === 'dedicated') reissue(spec);
          await operator.expose(spec, 'web', 8_080);
        });
    },
    run: (ms) => schedule.run(now() + ms, ({ what }) => judge(what.who)),
  };
}
