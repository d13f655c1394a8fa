import { acknowledge, type Move, type Ownership, release, restore, type World } from '@sallyport/authority';
import type { OwnerEpoch } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import type { ConfigurationAnswer, GatewayEnd } from '@sallyport/session';
import { configKey, type Guard, memberKey, ownerKey, sessionKey } from '@sallyport/store';
import { encodeOwnership } from '@sallyport/wire';
import type { Writer, Written } from './writer.ts';

/** The guarded writes of ownership: each compares the owner record that was judged, and what else its row of the table says. */
export interface OwnershipWrites {
  /** offered → owned, or fencing → owned by the same member. */
  acknowledge(state: GatewayEnd, answer: ConfigurationAnswer): Promise<void>;
  /** owned → released. `written` also when it was released before: then the supervisor only missed our word. */
  release(state: GatewayEnd, epoch: OwnerEpoch): Promise<'written' | 'not-written'>;
  move(move: Move): Promise<Written['kind']>;
}

export function createOwnershipWrites(world: World, writer: Writer, log: Log): OwnershipWrites {
  const put = (state: GatewayEnd['session'] | Move, to: Ownership, guards: readonly Guard[]): Promise<Written> =>
    writer.write({ guards, puts: [{ key: ownerKey(state.sandboxId), value: (opId) => encodeOwnership(to, opId) }] });

  return {
    async acknowledge({ session }, answer) {
      const { sandboxId, memberId } = session;
      const owner = world.owners.get(sandboxId);
      const onRecord = world.session(sandboxId, memberId);
      const config = world.configs.get(sandboxId);
      if (owner === undefined || onRecord === undefined || config === undefined) return;
      const next =
        owner.value.kind === 'fencing'
          ? restore(owner.value, memberId, answer.ownerEpoch)
          : acknowledge(owner.value, memberId, answer.ownerEpoch);
      if (!next.ok) return;
      const written = await put(session, next.value, [
        { key: ownerKey(sandboxId), is: 'unmoved-since', revision: owner.modRevision },
        { key: sessionKey(sandboxId, memberId), is: 'unmoved-since', revision: onRecord.modRevision },
        { key: configKey(sandboxId), is: 'unmoved-since', revision: config.modRevision },
      ]);
      log.info({ sandboxId, memberId, ownerEpoch: next.value.epoch, outcome: written.kind }, 'ownership acknowledged');
    },
    async release({ session }, epoch) {
      const { sandboxId, memberId } = session;
      const owner = world.owners.get(sandboxId);
      if (owner === undefined) return 'written';
      const next = release(owner.value, memberId, epoch);
      if (!next.ok) return owner.value.epoch >= epoch && owner.value.kind !== 'owned' ? 'written' : 'not-written';
      const written = await put(session, next.value, [
        { key: ownerKey(sandboxId), is: 'unmoved-since', revision: owner.modRevision },
      ]);
      log.info({ sandboxId, memberId, ownerEpoch: epoch, outcome: written.kind }, 'ownership released');
      return written.kind === 'committed' ? 'written' : 'not-written';
    },
    async move(move) {
      const { sandboxId, from, to, relies } = move;
      const guards: Guard[] = [{ key: ownerKey(sandboxId), is: 'unmoved-since', revision: from.modRevision }];
      const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
      if (relies?.on === 'member' && poolId !== undefined) {
        const member = world.members(poolId).get(relies.memberId);
        if (member !== undefined)
          guards.push({ key: memberKey(poolId, relies.memberId), is: 'unmoved-since', revision: member.modRevision });
      }
      if (relies?.on === 'session') {
        // A suspicion is of this very session: another gateway may have adopted the member meanwhile.
        const session = world.session(sandboxId, relies.memberId);
        const key = sessionKey(sandboxId, relies.memberId);
        guards.push(session === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: session.modRevision });
      }
      const written = await put(move, to, guards);
      log.info({ sandboxId, from: from.value.kind, to: to.kind, ownerEpoch: to.epoch, outcome: written.kind }, 'ownership moved');
      return written.kind;
    },
  };
}
