import type { Instant, StoreRevision } from '@sallyport/model';
import { renewalOf } from '@sallyport/session';
import { MEMBERS } from '../records.ts';
import type { Ends } from './ends.ts';
import type { Setting } from './rules.ts';
import { type Committed, type Gateway, type State, withGateway, withMember } from './state.ts';
import type { Views } from './views.ts';

type By = 0 | 1;

/** What reaches the store, sooner or later: it compares, and writes or refuses. */
export interface Commits {
  commitWrite(state: State, by: By): Outcome;
  commitPublication(state: State, by: By): Outcome;
  commitVector(state: State, by: By): State | undefined;
}

interface Outcome {
  readonly state: State | undefined;
  readonly broken?: string | undefined;
}

const NOW = 0 as Instant;
const NONE: Outcome = { state: undefined };

export function createCommits({ mode, lagMax, without }: Setting, views: Views, step: Ends['step']): Commits {
  const isBehind = ({ unseen }: Gateway): boolean => unseen.filter(({ kind }) => kind === 'owner').length >= lagMax;
  const told = (gateway: Gateway, entry: Committed): Gateway => ({ ...gateway, unseen: [...gateway.unseen, entry] });

  return {
    commitWrite(state, by) {
      const { write, ...rest } = state.gateways[by];
      if (write === undefined) return NONE;
      const done = withGateway(state, by, { ...rest, write: undefined });
      if (write.over !== state.owner.modRevision) return { state: done };
      if (state.gateways.some(isBehind)) return NONE;
      const held = { ...state.owner, value: write.to, modRevision: (state.owner.modRevision + 1n) as StoreRevision };
      const [first, second] = done.gateways;
      const gateways = [told(first, { kind: 'owner', held }), told(second, { kind: 'owner', held })] as const;
      const broken = write.to.epoch < state.owner.value.epoch ? 'epochs only rise' : undefined;
      return { state: acknowledged({ ...done, owner: held, gateways }, by, write.releases), broken };
    },
    commitPublication(state, by) {
      const { publication, ...rest } = state.gateways[by];
      if (publication === undefined) return NONE;
      const { evidence } = publication;
      // For T3: compared is what the view holds by now.
      const judged = without === 'T3' ? rest.owner.modRevision : publication.judged;
      const done = withGateway(state, by, { ...rest, publication: undefined });
      if (judged !== state.owner.modRevision) return { state: done };
      const { value } = state.owner;
      const isOwners = value.kind === 'owned' && value.by === MEMBERS[by] && value.epoch === evidence.report.ownerEpoch;
      return {
        state: step({ ...done, installation: { judged, by } }, by, { kind: 'published', evidence, byCommit: true }),
        broken: isOwners ? undefined : "what is published is the owner's",
      };
    },
    commitVector(state, by) {
      const gateway = state.gateways[by];
      const evidence = renewalOf(gateway.end, views.of(gateway.owner), NOW)?.evidence;
      const isWanted = mode === 'dedicated' ? gateway.echoSentAt < NOW : evidence !== undefined;
      if (!isWanted || gateway.unseen.some(({ kind }) => kind === 'vector')) return undefined;
      const done = withGateway(state, by, told(gateway, { kind: 'vector', vector: { sentAt: NOW, evidence } }));
      // For T1: leased as soon as it is written, whatever this gateway has yet to see.
      if (without !== 'T1' || evidence === undefined) return done;
      return step(done, by, { kind: 'published', evidence, byCommit: true });
    },
  };
}

/** The member that released hears that it is written. */
function acknowledged(state: State, by: By, releases: bigint | undefined): State {
  const member = state.members[by];
  if (releases === undefined || member.end.releasing !== releases) return state;
  return withMember(state, by, { ...member, end: { ...member.end, releasing: undefined } });
}
