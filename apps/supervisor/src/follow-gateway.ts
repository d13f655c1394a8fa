import { servesUntil } from '@sallyport/authority';
import type { MemberId, PoolId, SandboxId, SessionId } from '@sallyport/model';
import { backoffMs, type Clock, type Log, wait } from '@sallyport/process';
import { type Assignment, joinRequestMessage, type MemberState, parseJoinResponse } from '@sallyport/wire';
import type { GatewayPort } from './gateway-port.ts';
import type { Hosted } from './hosted.ts';
import { keepPolling } from './poll-loop.ts';
import { keepSession } from './session-loop.ts';

export interface FollowOptions {
  /** One for each replica; any of them takes any call. */
  readonly gateways: readonly GatewayPort[];
  readonly memberId: MemberId;
  readonly poolId: PoolId;
  readonly credential: string;
  readonly delivery: 'push' | 'poll';
  readonly advertises: boolean;
  readonly memberState: () => MemberState;
  readonly host: (assignment: Assignment) => Hosted;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Following {
  hosted(): Iterable<Hosted>;
  /** Whether a gateway has taken this member now. */
  joined(): boolean;
  /** The member's state has changed (it drains): tell the gateway. */
  announce(): void;
  stop(): Promise<void>;
}

const RETRY = { baseMs: 100, maxMs: 5_000 };
const TICK_MS = 500;

/** Joins the pool through whichever gateway answers, and hosts what it is assigned. Losing a gateway ends nothing. */
export function followGateway(options: FollowOptions): Following {
  const { gateways, memberId, poolId, credential, clock, log, random } = options;
  const hosting = new Map<SandboxId, { readonly hosted: Hosted; readonly stop: AbortController }>();
  const lingering = new Set<Hosted>();
  const stopping = new AbortController();
  let current: GatewayPort | undefined;
  let tell: (() => void) | undefined;

  function reconcile(assignments: readonly Assignment[]): void {
    const wanted = new Map(assignments.map((assignment) => [assignment.sandboxId, assignment]));
    for (const [sandboxId, { hosted, stop }] of hosting) {
      // Another life of the workload is another instance: nothing of the old one may reach the new.
      if (wanted.get(sandboxId)?.runtimeId === hosted.assignment.runtimeId) continue;
      stop.abort();
      hosting.delete(sandboxId);
      // A released owner admits nothing more; what is open may last until the authority it holds runs out, unrenewed.
      if (hosted.state().standing.released && !wanted.has(sandboxId)) lingering.add(hosted);
      else hosted.stop();
      log.info({ sandboxId, lingering: lingering.has(hosted) }, 'instance stopped');
    }
    for (const assignment of assignments) if (!hosting.has(assignment.sandboxId)) begin(assignment);
  }

  function begin(assignment: Assignment): void {
    // Two instances of one sandbox would contend for its hosts; the new tenure wins.
    for (const hosted of lingering)
      if (hosted.assignment.sandboxId === assignment.sandboxId && lingering.delete(hosted)) hosted.stop();
    const hosted = options.host(assignment);
    const stop = new AbortController();
    hosting.set(assignment.sandboxId, { hosted, stop });
    log.info({ sandboxId: assignment.sandboxId, runtimeId: assignment.runtimeId, mode: assignment.mode }, 'instance started');
    const common = { hosted, memberId, credential, gateway: () => current, random, clock, log, signal: stop.signal };
    let sessionId: SessionId | undefined;
    const push = options.delivery === 'push';
    void keepSession({
      ...common,
      capabilities: { advertisements: options.advertises, push },
      onAccepted: (accepted) => {
        sessionId = accepted;
      },
    });
    if (!push) void keepPolling({ ...common, sessionId: () => (hosted.state().session === undefined ? undefined : sessionId) });
  }

  /** One Join, from Hello to the end of its stream. True if it was accepted. */
  async function join(gateway: GatewayPort): Promise<{ readonly accepted: boolean; readonly why: string }> {
    const stream = gateway.join(stopping.signal);
    stream.send(joinRequestMessage({ kind: 'hello', memberId, poolId, credential, state: options.memberState() }));
    let accepted = false;
    for await (const raw of stream.received) {
      const response = parseJoinResponse(raw);
      if (!response.ok) {
        stream.fail(response.error);
        break;
      }
      if (response.value.kind === 'accepted') {
        accepted = true;
        current = gateway;
        tell = () => void stream.send(joinRequestMessage({ kind: 'state', state: options.memberState() }));
        log.info({ memberId, poolId, gatewayId: response.value.gatewayId }, 'joined');
      } else reconcile(response.value.assignments);
    }
    tell = undefined;
    if (current === gateway) current = undefined;
    return { accepted, why: (await stream.closed)?.message ?? 'ended by the gateway' };
  }

  async function keepJoined(): Promise<void> {
    let attempt = 0;
    for (let turn = Math.floor(random() * gateways.length); !stopping.signal.aborted; turn += 1) {
      const gateway = gateways[turn % gateways.length] as GatewayPort;
      const { accepted, why } = await join(gateway);
      if (stopping.signal.aborted) return;
      attempt = accepted ? 0 : attempt + 1;
      log.warn(
        { memberId, poolId, why },
        accepted ? 'lost the gateway: serving goes on while it is fresh' : 'no gateway takes this member',
      );
      await wait(clock, backoffMs(attempt, random(), RETRY), stopping.signal);
    }
  }

  const done = keepJoined();
  const cancelTick = clock.every(TICK_MS, () => {
    for (const { hosted } of hosting.values()) hosted.step({ kind: 'tick' });
    for (const hosted of lingering) {
      if (clock.now() < servesUntil(hosted.state().standing)) continue;
      hosted.stop();
      lingering.delete(hosted);
    }
  });

  return {
    *hosted() {
      for (const { hosted } of hosting.values()) yield hosted;
    },
    joined: () => current !== undefined,
    announce: () => tell?.(),
    async stop() {
      cancelTick();
      stopping.abort();
      for (const { stop, hosted } of hosting.values()) {
        stop.abort();
        hosted.stop();
      }
      for (const hosted of lingering) hosted.stop();
      await done;
    },
  };
}
