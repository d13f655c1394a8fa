import {
  acknowledge,
  CHALLENGE_EVERY_MS,
  CHALLENGE_LEAD_MS,
  type FenceTuple,
  FRESHNESS_MS,
  type Mode,
  type ReportingSession,
  release,
  restore,
  sameFence,
} from '@sallyport/authority';
import { at, createScene, gateway, member, runtime, SANDBOX, type Scene } from '@sallyport/authority/testing';
import type { Configuration, Host, Nonce } from '@sallyport/model';
import { type AdmitRefusal, admit, EMPTY_TABLE, install, type RouteTable, withdrawAll } from '@sallyport/routes';
import { renewalOf, startGatewayEnd, stepGateway } from '../gateway.ts';
import type { GatewayEffect, GatewayEnd, GatewayEvent } from '../gateway-step.ts';
import type { Capabilities, GatewayMessage, SupervisorMessage } from '../messages.ts';
import {
  type SupervisorEffect,
  type SupervisorEnd,
  type SupervisorEvent,
  startSupervisorEnd,
  stepSupervisor,
} from '../supervisor.ts';
import { createSchedule } from './schedule.ts';
import { spell } from './spell.ts';

export interface ConversationOptions {
  readonly mode?: Mode;
  readonly capabilities?: Partial<Capabilities>;
  /** One way. */
  readonly latencyMs?: number;
  /** Why the supervisor rejects a configuration; undefined: it installs it. */
  readonly rejects?: (configuration: Configuration) => string | undefined;
}

/** A commit, and the echo of one's own. */
const COMMIT_MS = 5;
const TICK_MS = 500;

/**
 * Both ends of one session, wired to each other over virtual time: the step functions, the routes and the admission are the
 * production code; around them are the simplest shells that do what the effects say.
 */
export function createConversation(options: ConversationOptions = {}) {
  const { mode = 'shared', latencyMs = 10, rejects = () => undefined } = options;
  const capabilities: Capabilities = { advertisements: true, push: true, ...options.capabilities };
  const scene: Scene = createScene();
  scene.sandbox({ mode });
  const schedule = createSchedule();
  const lines: string[] = [];
  let opened = 0;
  let gatewayEnd: GatewayEnd | undefined;
  let echoSentAt = at(0);
  let hasAuthority = true;
  let hasEcho = true;
  let wantsRelease = false;
  let nonces = 0;
  let fence: FenceTuple | undefined;
  let supervisorEnd: SupervisorEnd = startSupervisorEnd(
    { sandboxId: SANDBOX, runtimeId: runtime('r0'), memberId: member('m0') },
    mode,
  );
  let table: RouteTable = EMPTY_TABLE;
  let paused: (() => void)[] | undefined;
  let isReady = true;
  let boundaryNonces: number | undefined;
  const presented: string[] = [];

  const say = (line: string): void => void lines.push(`${(schedule.now() / 1_000).toFixed(2).padStart(6)} ${line}`);
  const ageMs = (): number | undefined => {
    const age = schedule.now() - echoSentAt;
    return hasAuthority && age < FRESHNESS_MS ? age : undefined;
  };

  // The gateway.
  function stepG(event: GatewayEvent): void {
    if (gatewayEnd === undefined) return;
    nonces += 1;
    const context = { now: schedule.now(), world: scene.world, nonce: `n${nonces}` as Nonce, ageMs: ageMs(), wantsRelease };
    const stepped = stepGateway(gatewayEnd, event, context);
    gatewayEnd = stepped.state;
    for (const effect of stepped.effects) actG(effect);
  }

  function actG(effect: GatewayEffect): void {
    const { session } = gatewayEnd as GatewayEnd;
    switch (effect.kind) {
      case 'send': {
        say(`gateway    ${spell(effect.message)}`);
        const current = opened;
        schedule.after(latencyMs, () => current === opened && arrive(effect.message));
        break;
      }
      case 'lease':
        actG({ kind: 'send', message: { ...effect.lease, boundaryToken: `token for ${effect.boundaryNonce}` } });
        break;
      case 'fence':
        actG({ kind: 'send', message: { kind: 'fence', token: `fence ${effect.fence.epoch}` } });
        break;
      case 'fence-answer':
        say(`           (the boundary answers fence ${effect.fence.epoch})`);
        break;
      case 'acknowledge':
        commit(() => {
          const owner = scene.world.owners.get(SANDBOX)?.value;
          if (owner === undefined) return;
          const next = (owner.kind === 'fencing' ? restore : acknowledge)(owner, session.memberId, effect.answer.ownerEpoch);
          if (next.ok) scene.owner(next.value);
        });
        break;
      case 'publish':
        commit(() => {
          const stands = fence !== undefined && sameFence(fence, effect.judgement.fence);
          fence = effect.judgement.fence;
          stepG({ kind: 'published', evidence: effect.evidence, byCommit: !stands });
        });
        break;
      case 'released':
        commit(() => {
          const owner = scene.world.owners.get(SANDBOX)?.value;
          const next = owner === undefined ? undefined : release(owner, session.memberId, effect.epoch);
          if (next?.ok) {
            scene.owner(next.value);
            actG({ kind: 'send', message: { kind: 'release-ack', ownerEpoch: effect.epoch } });
          }
        });
        break;
      case 'refused':
        say(`           (refused: ${effect.clause})`);
        break;
      case 'end':
        say(`gateway    ends the session: ${effect.clause}`);
        cut();
        break;
      // The only member follows nobody.
      case 'prepare':
      case 'answered':
        break;
    }
  }

  function commit(act: () => void): void {
    const of = gatewayEnd;
    schedule.after(COMMIT_MS, () => {
      if (gatewayEnd === undefined || gatewayEnd.session !== of?.session) return;
      act();
      stepG({ kind: 'world' });
    });
  }

  function beat(): void {
    const sentAt = schedule.now();
    const due = gatewayEnd === undefined ? undefined : renewalOf(gatewayEnd, scene.world, sentAt);
    if (hasAuthority && hasEcho)
      schedule.after(COMMIT_MS, () => {
        echoSentAt = sentAt;
        if (due !== undefined) stepG({ kind: 'renewed', evidence: due.evidence });
      });
    schedule.after(CHALLENGE_EVERY_MS - CHALLENGE_LEAD_MS, () => stepG({ kind: 'challenge-due' }));
    schedule.after(CHALLENGE_EVERY_MS, beat);
  }

  // The supervisor.
  const installed = () => [...table.routes.values()].map(({ service, host, port }) => ({ service, host, port }));

  function stepS(event: SupervisorEvent): void {
    if (paused !== undefined) return void paused.push(() => stepS(event));
    if (boundaryNonces !== undefined) boundaryNonces += 1;
    const boundaryNonce = boundaryNonces === undefined ? undefined : (`b${boundaryNonces}` as Nonce);
    const context = { now: schedule.now(), installed: installed(), ready: isReady, boundaryNonce };
    const stepped = stepSupervisor(supervisorEnd, event, context);
    supervisorEnd = stepped.state;
    for (const effect of stepped.effects) actS(effect);
  }

  function actS(effect: SupervisorEffect): void {
    switch (effect.kind) {
      case 'send':
        reply(effect.message);
        break;
      case 'install': {
        const { configuration } = effect;
        const rejection = rejects(configuration);
        table = (rejection === undefined ? install(table, configuration.services) : withdrawAll(table)).table;
        stepS({ kind: 'installed', configuration, rejection });
        break;
      }
      case 'boundary-token':
        presented.push(effect.token);
        break;
      case 'fence':
        stepS({ kind: 'fence-answered', answer: new Uint8Array([1]) });
        break;
      case 'end':
        say(`supervisor ends the session: ${effect.reason}`);
        cut();
        break;
      case 'released':
        break;
    }
  }

  function reply(message: SupervisorMessage): void {
    say(`supervisor ${spell(message)}`);
    const current = opened;
    schedule.after(latencyMs, () => current === opened && stepG({ kind: 'message', message }));
  }

  const arrive = (message: GatewayMessage): void => stepS({ kind: 'message', message });

  function cut(): void {
    opened += 1;
    gatewayEnd = undefined;
    stepS({ kind: 'closed' });
  }

  function openAs(session: ReportingSession): void {
    cut();
    gatewayEnd = startGatewayEnd(session, capabilities);
    stepG({ kind: 'opened', gatewayId: gateway('g0') });
  }

  function tick(): void {
    stepS({ kind: 'tick' });
    schedule.after(TICK_MS, tick);
  }

  const outcome = (host: string): AdmitRefusal | 'admitted' => {
    const asked = { serverName: host as Host, host: host as Host };
    const admitted = admit(table, supervisorEnd.standing, asked, schedule.now(), () => true);
    return admitted.ok ? 'admitted' : admitted.error;
  };

  beat();
  schedule.after(TICK_MS, tick);
  return {
    scene,
    now: schedule.now,
    gateway: () => gatewayEnd,
    supervisor: () => supervisorEnd,
    /** The supervisor opens a session with a gateway whose record is already in view. */
    open: (id: string) => openAs(scene.session('m0', id)),
    /** With a session record of the test's own. */
    openAs,
    /** The stream breaks; both ends know. */
    cut,
    /** Changes the records, and lets the gateway see it. */
    change(act: (scene: Scene) => void): void {
      act(scene);
      stepG({ kind: 'world' });
    },
    run: schedule.run,
    /** Runs, and asks `each` again and again on the way. */
    runAsking<T>(ms: number, eachMs: number, each: () => T): T[] {
      const answers: T[] = [];
      for (let passed = 0; passed < ms; passed += eachMs) {
        schedule.run(eachMs);
        answers.push(each());
      }
      return answers;
    },
    authority(has: boolean): void {
      hasAuthority = has;
    },
    /** The view stands still: vectors are written and do not come back. */
    stallEcho(): void {
      hasEcho = false;
    },
    /** The member drains: its gateway wants it to release. */
    drain(wants = true): void {
      wantsRelease = wants;
      stepG({ kind: 'world' });
    },
    ready(is: boolean): void {
      isReady = is;
    },
    /** There is a boundary, which issues nonces and takes whatever it is given; what was presented to it. */
    withBoundary(): readonly string[] {
      boundaryNonces = 0;
      return presented;
    },
    pause(): void {
      paused = [];
    },
    resume(): void {
      const held = paused ?? [];
      paused = undefined;
      for (const act of held) act();
    },
    stepSupervisor: stepS,
    /** A poll: what the gateway declares, as a whole value, `roundTripMs` after it was asked for. */
    poll(roundTripMs = 2 * latencyMs): void {
      const askedAt = schedule.now();
      schedule.after(roundTripMs, () => {
        const age = ageMs();
        const configuration = scene.world.configs.get(SANDBOX)?.value;
        if (age === undefined || configuration === undefined) return;
        const known = supervisorEnd.answered;
        const modified = known?.revision !== configuration.revision;
        stepS({ kind: 'polled', askedAt, ageMs: age, configuration: modified ? configuration : undefined });
      });
    },
    arrive,
    /** The gateway receives this, whoever sent it and when. */
    hear: (message: SupervisorMessage) => stepG({ kind: 'message', message }),
    outcome,
    /** What was said since it was asked last. */
    transcript: (): string => lines.splice(0).join('\n'),
  };
}

export type Conversation = ReturnType<typeof createConversation>;
