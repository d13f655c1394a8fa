import { POLL_EVERY_MS, servesUntil } from '@sallyport/authority';
import { later, type MemberId, type PoolId, type SandboxId, type SessionId } from '@sallyport/model';
import { backoffMs, type Clock, type Log, wait } from '@sallyport/process';
import { type Rest, restAfterLeaving, restsUntil } from '@sallyport/session';
import type { Assignment, MemberState } from '@sallyport/wire';
import type { Credential } from './credential.ts';
import type { GatewayPort } from './gateway-port.ts';
import type { Hosted } from './hosted.ts';
import { ACCEPT_MS, ACCEPT_MS_MAX, type JoinLink, NO_ANSWER, openJoin } from './join-link.ts';
import { keepPolling } from './poll-loop.ts';
import { keepSession } from './session-loop.ts';

export interface FollowOptions {
  /** One for each replica; any of them takes any call. */
  readonly gateways: readonly GatewayPort[];
  readonly memberId: MemberId;
  readonly poolId: PoolId;
  readonly credential: Credential;
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
/** Two heartbeats without an answer. */
const SILENT_MS = 8_000;
/** Between two tries to find a better gateway than a silent one. */
const SCOUT_EVERY_MS = 2_000;
const SILENT = Symbol('silent');

/** Joins the pool through whichever gateway answers, and hosts what it is assigned. Losing a gateway ends nothing. */
export function followGateway(options: FollowOptions): Following {
  const { gateways, memberId, poolId, credential, clock, log, random } = options;
  const hosting = new Map<SandboxId, { readonly hosted: Hosted; readonly stop: AbortController }>();
  const lingering = new Set<Hosted>();
  const stopping = new AbortController();
  // An answer may wait for the next poll to deliver what is declared.
  const silentMs = options.delivery === 'push' ? SILENT_MS : SILENT_MS + POLL_EVERY_MS;
  let active: JoinLink | undefined;
  /** Not again so soon after the last time that one was left for leaving a ping unanswered. */
  let rest: Rest | undefined;
  let wake: () => void = () => undefined;
  let acceptMs = ACCEPT_MS;

  function reconcile(assignments: readonly Assignment[]): void {
    const wanted = new Map(assignments.map((assignment) => [assignment.sandboxId, assignment]));
    for (const [sandboxId, { hosted, stop }] of hosting) {
      // Another life of the workload is another instance: nothing of the old one may reach the new.
      const kept = wanted.get(sandboxId);
      if (kept !== undefined && isSameInstance(kept, hosted.assignment)) {
        hosted.reassigned(kept);
        continue;
      }
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
    const common = { hosted, memberId, credential, gateway: () => active?.gateway, random, clock, log, signal: stop.signal };
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

  /** Joins through this gateway and adopts it. The text says why it was not accepted. */
  async function joinThrough(gateway: GatewayPort, resting = rest): Promise<string | undefined> {
    const hello = { memberId, poolId, credential: credential(), state: options.memberState() };
    const opened = await openJoin({
      gateway,
      hello,
      onAssignments: reconcile,
      pulseFrom: gateways.length > 1 ? restsUntil(resting) : undefined,
      onSilent: () => wake(),
      acceptMs,
      clock,
      signal: stopping.signal,
    });
    acceptMs = opened === NO_ANSWER ? Math.min(2 * acceptMs, ACCEPT_MS_MAX) : ACCEPT_MS;
    if (typeof opened === 'string') return opened;
    rest = resting;
    const before = active;
    active = opened.link;
    opened.begin();
    // One word more than Hello: that this member lives now, after all that was on record when it was taken.
    active.tell(options.memberState());
    log.info({ memberId, poolId, gatewayId: active.gatewayId }, 'joined');
    if (before === undefined) return undefined;
    // Sessions with the gateway that fell silent would go on waiting for it.
    before.close();
    for (const { hosted } of hosting.values()) hosted.endSession('the gateway fell silent; another has taken this member');
    return undefined;
  }

  async function keepJoined(): Promise<void> {
    let turn = Math.floor(random() * gateways.length);
    const next = (): GatewayPort => gateways[turn++ % gateways.length] as GatewayPort;
    for (let attempt = 0; !stopping.signal.aborted; ) {
      const link = active;
      if (link === undefined) {
        const refused = await joinThrough(next());
        if (refused === undefined) attempt = 0;
        else {
          attempt += 1;
          log.warn({ memberId, poolId, why: refused }, 'no gateway takes this member');
          await wait(clock, backoffMs(attempt, random(), RETRY), stopping.signal);
        }
        continue;
      }
      const why = await Promise.race([link.ended, silence(link)]);
      if (why === SILENT) {
        // One that is cut off from the store keeps its streams and renews nothing. Another is tried before it is left: when the
        // store is away for all of them there is nobody better.
        log.warn({ memberId, poolId, gatewayId: link.gatewayId }, 'the gateway answers nothing: another is tried');
        const resting = link.silent() ? restAfterLeaving(rest, clock.now()) : rest;
        let other = next();
        if (other === link.gateway) other = next();
        if ((await joinThrough(other, resting)) !== undefined) await wait(clock, SCOUT_EVERY_MS, stopping.signal);
        continue;
      }
      if (active === link) active = undefined;
      if (stopping.signal.aborted) return;
      log.warn({ memberId, poolId, why }, 'lost the gateway: serving goes on while it is fresh');
      await wait(clock, backoffMs(0, random(), RETRY), stopping.signal);
    }
  }

  /** Resolves once the gateway has left what it was asked unanswered for too long; never where there is no other. */
  async function silence(link: JoinLink): Promise<typeof SILENT> {
    while (gateways.length > 1 && active === link && !stopping.signal.aborted) {
      if (link.silent() || [...hosting.values()].some(({ hosted }) => hosted.unansweredMs() >= silentMs)) return SILENT;
      await new Promise<void>((resolve) => {
        const cancel = clock.at(later(clock.now(), TICK_MS), resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
    return new Promise(() => undefined);
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
    joined: () => active !== undefined,
    announce: () => active?.tell(options.memberState()),
    async stop() {
      cancelTick();
      stopping.abort();
      for (const { stop, hosted } of hosting.values()) {
        stop.abort();
        hosted.stop();
      }
      for (const hosted of lingering) hosted.stop();
      active?.close();
      await done;
    },
  };
}

/** Behind a boundary and beside the application are two ways to serve it: what is open on one may not go on by the other. */
const isSameInstance = (a: Assignment, b: Assignment): boolean =>
  a.runtimeId === b.runtimeId && (a.boundaryAddress === undefined) === (b.boundaryAddress === undefined);
