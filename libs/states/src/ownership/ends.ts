import { acknowledge, FRESHNESS_MS, release, restore } from '@sallyport/authority';
import type { Instant, Nonce, OwnerEpoch } from '@sallyport/model';
import {
  type GatewayEffect,
  type GatewayEvent,
  NO_EPOCH,
  type SupervisorEnd,
  type SupervisorEvent,
  stepGateway,
  stepSupervisor,
} from '@sallyport/session';
import { MEMBERS, type Records } from '../records.ts';
import type { Setting } from './rules.ts';
import { type Gateway, type Member, type State, type Write, withGateway, withMember } from './state.ts';
import type { Views } from './views.ts';

type By = 0 | 1;

/** Both ends of the two sessions: the production step functions, and what the shells around them do with their effects. */
export interface Ends {
  step(state: State, by: By, event: GatewayEvent, wantsRelease?: boolean): State | undefined;
  challenge(state: State, by: By): State | undefined;
  heartbeat(state: State, by: By): State | undefined;
  hear(state: State, by: By): State | undefined;
  hearReleasedAgain(state: State, by: By): State | undefined;
}

const NOW = 0 as Instant;

export function createEnds(setting: Setting, { configuration }: Records, views: Views): Ends {
  const { mode, without, messagesMax } = setting;
  const installed = configuration.services.map(({ service, host, port }) => ({ service, host, port }));
  const around = { now: NOW, installed, ready: true, boundaryNonce: undefined };

  function ageOf({ echoSentAt }: Gateway): number | undefined {
    if (mode === 'shared' || without === 'T7-age') return 0;
    const ageMs = NOW - echoSentAt;
    return ageMs < FRESHNESS_MS ? ageMs : undefined;
  }

  function step(state: State, by: By, event: GatewayEvent, wantsRelease = false): State | undefined {
    const gateway = state.gateways[by];
    const nonce = `n${by}` as Nonce;
    const world = views.of(gateway.owner);
    const stepped = stepGateway(gateway.end, event, { now: NOW, world, nonce, ageMs: ageOf(gateway), wantsRelease });
    let next: State | undefined = withGateway(state, by, { ...gateway, end: { ...stepped.state, lastGoodReportAt: NOW } });
    for (const effect of stepped.effects) next = next === undefined ? undefined : act(next, by, effect);
    return next;
  }

  function act(state: State, by: By, effect: GatewayEffect): State | undefined {
    const gateway = state.gateways[by];
    switch (effect.kind) {
      case 'send': {
        const { message } = effect;
        const member = state.members[by];
        if (member.toMember.length >= messagesMax) return undefined;
        const sent = withMember(state, by, { ...member, toMember: [...member.toMember, message] });
        return without === 'T4' && message.kind === 'release' ? released(sent, by, message.ownerEpoch) : sent;
      }
      case 'acknowledge': {
        const { value, modRevision } = gateway.owner;
        const take = value.kind === 'fencing' ? restore : acknowledge;
        const next = take(value, MEMBERS[by], effect.answer.ownerEpoch);
        return next.ok ? written(state, by, { to: next.value, over: modRevision, releases: undefined }) : state;
      }
      case 'released':
        return released(state, by, effect.epoch);
      case 'publish': {
        const { evidence, judgement } = effect;
        const judged = judgement.fence.owner;
        if (state.installation?.judged === judged) return step(state, by, { kind: 'published', evidence, byCommit: false });
        return withGateway(state, by, { ...gateway, publication: { evidence, judged } });
      }
      case 'answered':
      case 'refused':
      // There is no boundary here, nobody drains, and no record of a session moves.
      case 'lease':
      case 'fence':
      case 'fence-answer':
      case 'prepare':
      case 'end':
        return state;
    }
  }

  /** As the production shell does it: only the owner can let go, and only of the tenure that is on record. */
  function released(state: State, by: By, said: OwnerEpoch): State {
    const { value, modRevision } = state.gateways[by].owner;
    // For T6: any Released is one of the present tenure.
    const epoch = without === 'T6' ? value.epoch : said;
    const member = state.members[by];
    if (value.epoch > epoch || (value.epoch === epoch && value.kind !== 'owned'))
      return withMember(state, by, { ...member, end: { ...member.end, releasing: undefined } });
    const next = release(value, MEMBERS[by], epoch);
    return next.ok ? written(state, by, { to: next.value, over: modRevision, releases: epoch }) : state;
  }

  /** One at a time: what finds another under way is asked for again later. */
  function written(state: State, by: By, write: Write): State {
    const gateway = state.gateways[by];
    return gateway.write === undefined ? withGateway(state, by, { ...gateway, write }) : state;
  }

  /** What the member says reaches its gateway at once; what reaches the member is under way for as long as it likes. */
  function stepMember(state: State, by: By, end: SupervisorEnd, event: SupervisorEvent): State | undefined {
    const stepped = stepSupervisor(end, event, around);
    const said = stepped.effects.flatMap((effect) => (effect.kind === 'send' ? [effect.message] : []));
    const released = said.flatMap((each) => (each.kind === 'released' ? [each.ownerEpoch] : []));
    const member = state.members[by];
    let next: State | undefined = withMember(state, by, {
      ...member,
      end: stepped.state,
      saidEpochs: [...new Set([...member.saidEpochs, ...released])],
      heldUntil: released.length > 0 ? end.standing.leaseUntil : member.heldUntil,
    });
    for (const message of said) next = next === undefined ? undefined : step(next, by, { kind: 'message', message });
    return next;
  }

  /** For T5: a supervisor that has forgotten that it released. */
  const forgetful = (end: SupervisorEnd): SupervisorEnd => ({
    ...end,
    releasedEpoch: NO_EPOCH,
    standing: { ...end.standing, released: false },
  });

  return {
    step,
    challenge(state, by) {
      const { end, unseen, publication } = state.gateways[by];
      const { open } = end.challenges;
      // One report at a time goes its whole way, and only an owner's goes anywhere.
      const isBusy =
        open.length > 0 ||
        end.evidence !== undefined ||
        publication !== undefined ||
        unseen.some(({ kind }) => kind === 'vector');
      if (isBusy || end.told.state !== 'owned' || !end.capabilities.advertisements) return undefined;
      return step(state, by, { kind: 'challenge-due' });
    },
    heartbeat(state, by) {
      const { end } = state.members[by];
      // Who does not own is not served by it, however fresh.
      if (end.session === undefined || !end.standing.acknowledged || mode === 'shared') return undefined;
      if (end.session.nextHeartbeatAt > NOW || end.session.heartbeats.length > 0) return undefined;
      return stepMember(state, by, { ...end, releasing: undefined }, { kind: 'tick' });
    },
    hear(state, by) {
      if (state.members[by].toMember.length === 0) return undefined;
      let next: State | undefined = state;
      for (const message of state.members[by].toMember) {
        if (next === undefined) return undefined;
        const member: Member = next.members[by];
        const end = without === 'T5' && message.kind === 'serving-lease' ? forgetful(member.end) : member.end;
        const rest = { ...member, toMember: member.toMember.slice(1) };
        next = stepMember(withMember(next, by, rest), by, end, { kind: 'message', message });
      }
      return next;
    },
    hearReleasedAgain(state, by) {
      const [ownerEpoch] = state.members[by].saidEpochs;
      return ownerEpoch === undefined
        ? undefined
        : step(state, by, { kind: 'message', message: { kind: 'released', ownerEpoch } });
    },
  };
}
