import { NO_GATEWAY, type RecordChange, type World } from '@sallyport/authority';
import type { StoreRevision } from '@sallyport/model';
import { parseKey, type Transaction } from '@sallyport/store';
import type { SimProcess } from '../time/sim-process.ts';
import type { Transcript } from '../transcript.ts';
import type { Names } from './names.ts';
import type { Court } from './violations.ts';

/** Every transaction that was decided, with whom it came from. */
export interface CommitWatch {
  decided(process: SimProcess, transaction: Transaction, outcome: 'committed' | 'refused', revision: StoreRevision): void;
  changed(changes: readonly RecordChange[]): void;
}

export interface CommitWatchOptions {
  readonly world: World;
  readonly court: Court;
  readonly names: Names;
  readonly transcript: Transcript;
}

export function watchCommits({ world, court, names, transcript }: CommitWatchOptions): CommitWatch {
  /** A gateway's writes rest on its own key as it stands at that very revision; what makes the key comes before. */
  function judge(process: SimProcess, { guards, changes }: Transaction, revision: StoreRevision): void {
    const kinds = changes.map(({ key }) => parseKey(key)?.kind);
    if (kinds.every((kind) => kind === 'gateway' || kind === 'generation' || kind === 'reader')) return;
    court.looked('a lapsed gateway commits nothing');
    const own = guards.flatMap((guard) => {
      const key = parseKey(guard.key);
      return key?.kind === 'gateway' && guard.is === 'created-at' ? [{ gatewayId: key.gatewayId, revision: guard.revision }] : [];
    })[0];
    const told = `${process.name} writes ${changes.map(({ key }) => key).join(', ')} at ${revision}`;
    if (own === undefined) return court.broken('a lapsed gateway commits nothing', `${told} without comparing its own key`);
    if (world.gateways.get(own.gatewayId)?.createRevision !== own.revision)
      court.broken('a lapsed gateway commits nothing', `${told}, and its key ${own.gatewayId} is gone`);
  }

  function tell(change: RecordChange): void {
    const { key, held } = change;
    const say = (what: string, level: 'story' | 'detail' = 'story'): void => transcript.say(level, 'store', what);
    switch (key.kind) {
      case 'owner':
        return say(
          `${names.sandbox(key.sandboxId)} is ${names.ownership(key.sandboxId, world.owners.get(key.sandboxId)?.value)}`,
        );
      case 'gateway':
        return say(`gateway ${key.gatewayId} ${held === undefined ? 'is gone' : 'is here'}`);
      case 'member': {
        const member = world.members(key.poolId).get(key.memberId)?.value;
        return say(
          member === undefined
            ? `member ${key.memberId} is gone`
            : `member ${key.memberId} ${member.gatewayId === NO_GATEWAY ? 'is joined nowhere' : `has joined by ${member.gatewayId}`}${member.draining ? ', draining' : ''}`,
        );
      }
      case 'session': {
        const session = world.session(key.sandboxId, key.memberId)?.value;
        const whose = `session of ${key.memberId} about ${names.sandbox(key.sandboxId)}`;
        return say(session === undefined ? `${whose} is gone` : `${whose} is ${session.sessionId}`);
      }
      case 'installation': {
        const installation = world.installations.get(key.sandboxId)?.value;
        const whose = `installation of ${names.sandbox(key.sandboxId)}`;
        if (installation === undefined) return say(`${whose} is withdrawn`);
        const { memberId, ownerEpoch, configRevision } = installation;
        return say(`${whose} is ${memberId} at ${names.epoch(key.sandboxId, ownerEpoch)}, r${configRevision}`);
      }
      case 'config':
        return say(
          `configuration of ${names.sandbox(key.sandboxId)} is ${held === undefined ? 'gone' : `r${world.configs.get(key.sandboxId)?.value.revision}`}`,
        );
      case 'credential':
        return say(
          `credential of ${names.sandbox(key.sandboxId)} is ${held === undefined ? 'gone' : `c${world.credentials.get(key.sandboxId)?.value}`}`,
        );
      case 'sandbox':
        return say(
          `sandbox ${names.sandbox(key.sandboxId)} is ${held === undefined ? 'deleted' : `on record, runtime ${world.sandboxes.get(key.sandboxId)?.value.runtimeId}`}`,
        );
      case 'renewal':
        return say(
          `renewals of ${key.gatewayId}: ${
            held === undefined
              ? 'deleted'
              : world
                  .renewals(key.gatewayId)
                  .get(key.bucket)
                  ?.value.renewals.map(({ sessionId, reportSequence }) => `${sessionId}#${reportSequence}`)
                  .join(' ')
          }`,
          'detail',
        );
      case 'successor': {
        const successor = world.successors.get(key.sandboxId)?.value;
        const whose = `successor of ${names.sandbox(key.sandboxId)}`;
        return say(successor === undefined ? `${whose} is none` : `${whose} will be ${successor.installation.memberId}`);
      }
      case 'generation':
      case 'name':
      case 'reader':
      case 'grant':
        return undefined;
    }
  }

  return {
    decided(process, transaction, outcome, revision) {
      if (outcome === 'committed') judge(process, transaction, revision);
      else if (transcript.wants('detail'))
        transcript.say('detail', 'store', `refuses ${process.name}: ${transaction.changes.map(({ key }) => key).join(', ')}`);
    },
    changed(changes) {
      if (transcript.wants('story')) for (const change of changes) tell(change);
    },
  };
}
