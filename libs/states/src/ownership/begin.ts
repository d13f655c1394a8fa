import { type Held, NO_CHALLENGES, type Ownership } from '@sallyport/authority';
import { type Instant, LONG_AGO, NEVER, type OwnerEpoch, type StoreRevision } from '@sallyport/model';
import { type GatewayEnd, NO_EPOCH, startGatewayEnd, startSupervisorEnd } from '@sallyport/session';
import { createRecords, MEMBERS, RUNTIME, SANDBOX } from '../records.ts';
import type { Setting } from './rules.ts';
import type { Gateway, Member, State } from './state.ts';

const NOW = 0 as Instant;

/** m0 owns, and everybody knows it; it has yet to be leased. Nothing is under way. */
export function begin({ mode }: Setting): State {
  const { sessions, configuration } = createRecords(mode);
  const epoch = 1n as OwnerEpoch;
  const revision = 1n as StoreRevision;
  const owner: Held<Ownership> = {
    value: { kind: 'owned', epoch, by: MEMBERS[0] },
    createRevision: revision,
    modRevision: revision,
  };
  const told = (by: 0 | 1): GatewayEnd['told'] => (by === 0 ? { epoch, state: 'owned' } : { epoch: NO_EPOCH, state: 'none' });
  const { revision: configRevision, hash } = configuration;

  const gateway = (by: 0 | 1): Gateway => ({
    unseen: [],
    owner,
    end: {
      ...startGatewayEnd(sessions[by], { advertisements: mode === 'shared', push: true }),
      told: told(by),
      answered: { revision: configRevision, hash, ownerEpoch: told(by).epoch, rejection: undefined },
      challenges: NO_CHALLENGES,
    },
    seenAt: NOW,
    fenced: undefined,
    echoSentAt: NOW,
    write: undefined,
    publication: undefined,
  });

  const member = (by: 0 | 1): Member => {
    const end = startSupervisorEnd({ sandboxId: SANDBOX, runtimeId: RUNTIME, memberId: MEMBERS[by] }, mode);
    return {
      end: {
        ...end,
        // A shared one lives on its leases here: freshness would only end sooner.
        standing: { ...end.standing, acknowledged: by === 0, freshUntil: mode === 'shared' ? NEVER : LONG_AGO },
        ownership: told(by),
        answered: { revision: configRevision, hash, rejection: undefined },
        session: {
          sessionId: sessions[by].sessionId,
          hasAnswer: true,
          nextHeartbeatAt: mode === 'shared' ? NEVER : NOW,
          nextHeartbeat: 1,
          heartbeats: [],
          reports: [],
        },
      },
      toMember: [],
      saidEpochs: [],
      heldUntil: LONG_AGO,
    };
  };

  return { owner, installation: undefined, changes: 0, gateways: [gateway(0), gateway(1)], members: [member(0), member(1)] };
}
