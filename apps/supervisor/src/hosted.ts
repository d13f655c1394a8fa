import { refusalAt } from '@sallyport/authority';
import type { Configuration, Host, MemberId, Nonce, SandboxId } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import type { Instance } from '@sallyport/proxy';
import { EMPTY_TABLE, install, type Route, type RouteTable, withdrawAll } from '@sallyport/routes';
import {
  type SupervisorContext,
  type SupervisorEnd,
  type SupervisorEvent,
  type SupervisorMessage,
  startSupervisorEnd,
  stepSupervisor,
} from '@sallyport/session';
import type { Assignment } from '@sallyport/wire';
import type { BoundaryLink } from './boundary/boundary-link.ts';
import { rejectionOf, type ServingRules } from './configuration-check.ts';

/** One sandbox on this supervisor: the session's state machine, and the instance of the data plane that obeys it. */
export interface Hosted {
  readonly assignment: Assignment;
  readonly state: () => SupervisorEnd;
  readonly instance: Instance;
  /** What is installed, whether or not it may be served now. */
  routes(): readonly Route[];
  /** Hosts that a request would be admitted for now. */
  servedHosts(): readonly Host[];
  step(event: SupervisorEvent): void;
  /** Where messages go while a session is open; undefined between sessions. */
  attach(send: ((message: SupervisorMessage) => void) | undefined, end: (reason: string) => void): void;
  /** Ends the open session, if there is one; its loop opens another. */
  endSession(reason: string): void;
  /** For how long the oldest heartbeat of the open session has been without an answer, milliseconds. */
  unansweredMs(): number;
  /** The same sandbox and runtime; its boundary may be elsewhere. */
  reassigned(assignment: Assignment): void;
  /** Final: refuses everything from now on and closes what is open. */
  stop(): void;
}

export interface HostedOptions {
  readonly assignment: Assignment;
  readonly memberId: MemberId;
  readonly instance: Instance;
  /** The way to the application; absent: it is on this supervisor's own loopback. */
  readonly boundary?: BoundaryLink | undefined;
  readonly rules: ServingRules;
  readonly ready: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export function createHosted(options: HostedOptions): Hosted {
  const { assignment, memberId, instance, boundary, rules, ready, clock, log } = options;
  const { sandboxId, runtimeId, mode } = assignment;
  let state = startSupervisorEnd({ sandboxId, runtimeId, memberId }, mode);
  let table: RouteTable = EMPTY_TABLE;
  let send: ((message: SupervisorMessage) => void) | undefined;
  let end: (reason: string) => void = () => undefined;

  const context = (boundaryNonce: Nonce | undefined): SupervisorContext => ({
    now: clock.now(),
    installed: [...table.routes.values()].map(({ service, host, port }) => ({ service, host, port })),
    ready: ready(),
    boundaryNonce,
  });

  function step(event: SupervisorEvent): void {
    if (boundary !== undefined && event.kind === 'message' && event.message.kind === 'challenge') void report(event, boundary);
    else take(event, undefined);
  }

  /** A right at the boundary is counted from its nonce, so a fresh one is had for each report. */
  async function report(challenge: SupervisorEvent, from: BoundaryLink): Promise<void> {
    const sessionId = state.session?.sessionId;
    const nonce = await from.nonce();
    // Another session has other challenges.
    if (sessionId !== undefined && state.session?.sessionId === sessionId) take(challenge, nonce);
  }

  function take(event: SupervisorEvent, boundaryNonce: Nonce | undefined): void {
    const stepped = stepSupervisor(state, event, context(boundaryNonce));
    state = stepped.state;
    // Before the effects: nothing may be said that the data plane does not already obey.
    instance.update(table, state.standing);
    for (const effect of stepped.effects) {
      switch (effect.kind) {
        case 'send':
          send?.(effect.message);
          break;
        case 'install':
          installWhole(effect.configuration);
          break;
        case 'boundary-token':
          boundary?.present(effect.token);
          break;
        case 'fence':
          void boundary?.fence(effect.token).then((answer) => {
            if (answer !== undefined) step({ kind: 'fence-answered', answer });
          });
          break;
        case 'released':
          log.info({ sandboxId, ownerEpoch: state.ownership.epoch }, 'released: admitting nothing more');
          break;
        case 'end':
          log.warn({ sandboxId, reason: effect.reason }, 'the gateway broke the protocol');
          end(effect.reason);
          break;
      }
    }
  }

  /** Installs a configuration whole or not at all; all within one turn, so that no request sees half of it. */
  function installWhole(configuration: Configuration): void {
    const rejection = rejectionOf(configuration, sandboxId, rules);
    const next = rejection === undefined ? install(table, configuration.services) : withdrawAll(table);
    table = next.table;
    instance.update(table, state.standing);
    instance.withdraw(next.withdrawn, 'withdrawn');
    const facts = {
      sandboxId,
      configRevision: configuration.revision,
      installedCount: next.installed.length,
      withdrawnCount: next.withdrawn.length,
    };
    if (rejection === undefined) log.info(facts, 'configuration installed');
    else log.warn({ ...facts, reason: rejection }, 'configuration rejected: nothing of it is served');
    step({ kind: 'installed', configuration, rejection });
  }

  return {
    assignment,
    state: () => state,
    instance,
    routes: () => [...table.routes.values()],
    servedHosts: () => (refusalAt(state.standing, clock.now()) === undefined ? [...table.routes.keys()] : []),
    step,
    attach(nextSend, nextEnd) {
      send = nextSend;
      end = nextEnd;
    },
    endSession: (reason) => end(reason),
    unansweredMs() {
      const oldest = state.session?.heartbeats[0];
      return oldest === undefined ? 0 : clock.now() - oldest.sentAt;
    },
    reassigned({ boundaryAddress }) {
      if (boundaryAddress !== undefined) boundary?.moveTo(boundaryAddress);
    },
    stop() {
      send = undefined;
      step({ kind: 'stop' });
      instance.stop('stopped');
      boundary?.close();
    },
  };
}

export type HostedById = Map<SandboxId, Hosted>;
