import {
  acknowledge,
  type Held,
  handOver,
  type Installation,
  type Move,
  type Ownership,
  type ReportingSession,
  readySuccessor,
  release,
  restore,
  SAME_WRITE,
  type Successor,
  type World,
} from '@sallyport/authority';
import type { OwnerEpoch, SandboxId } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import type { ConfigurationAnswer, GatewayEnd } from '@sallyport/session';
import { configKey, type Guard, installationKey, memberKey, ownerKey, sessionKey, successorKey } from '@sallyport/store';
import { encodeInstallation, encodeOwnership } from '@sallyport/wire';
import { judged } from './publish.ts';
import type { Writer, Written } from './writer.ts';

/** The guarded writes of ownership: each compares the owner record that was judged, and what else its row of the table says. */
export interface OwnershipWrites {
  /** offered → owned, or fencing → owned by the same member. */
  acknowledge(state: GatewayEnd, answer: ConfigurationAnswer): Promise<void>;
  /** owned → released. `written` also when it was released before: then the supervisor only missed our word. */
  release(state: GatewayEnd, epoch: OwnerEpoch): Promise<'written' | 'not-written'>;
  move(move: Move): Promise<Written['kind']>;
}

export interface OwnershipWritesOptions {
  readonly world: World;
  readonly writer: Writer;
  readonly log: Log;
  readonly unixMs: () => number;
  /** A record was written. */
  readonly onWritten: ((to: Ownership['kind']) => void) | undefined;
}

export function createOwnershipWrites({ world, writer, log, unixMs, onWritten }: OwnershipWritesOptions): OwnershipWrites {
  async function put(state: GatewayEnd['session'] | Move, to: Ownership, guards: readonly Guard[]): Promise<Written> {
    const value = (opId: string) => encodeOwnership(to, opId);
    const written = await writer.write({ guards, puts: [{ key: ownerKey(state.sandboxId), value }] });
    if (written.kind === 'committed') onWritten?.(to.kind);
    return written;
  }

  async function letGo(owner: Held<Ownership>, session: ReportingSession, epoch: OwnerEpoch): Promise<string> {
    const { sandboxId, memberId } = session;
    const next = release(owner.value, memberId, epoch);
    if (!next.ok) return next.error;
    const guards: Guard[] = [{ key: ownerKey(sandboxId), is: 'unmoved-since', revision: owner.modRevision }];
    return (await put(session, next.value, guards)).kind;
  }

  /** owned(e) → owned(e+1) by the successor, with its installation in the same write. */
  async function takeOver(
    owner: Held<Ownership>,
    sandboxId: SandboxId,
    epoch: OwnerEpoch,
    prepared: Held<Successor>,
  ): Promise<string> {
    const { installation } = prepared.value;
    const { memberId, fence } = installation;
    const next = handOver(owner.value, epoch, memberId, unixMs());
    if (!next.ok) return next.error;
    const sandbox = world.sandboxes.get(sandboxId);
    if (sandbox === undefined) return 'the sandbox is gone';
    const { workspace, poolId } = sandbox.value;
    const taken: Installation = { ...installation, ownerEpoch: next.value.epoch, fence: { ...fence, owner: SAME_WRITE } };
    const present = world.installations.get(sandboxId);
    const key = installationKey(workspace, sandboxId);
    const written = await writer.write({
      guards: [
        ...judged(fence, { sandboxId, memberId }, poolId),
        { key: successorKey(sandboxId), is: 'unmoved-since', revision: prepared.modRevision },
        present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision },
      ],
      puts: [
        { key: ownerKey(sandboxId), value: (opId) => encodeOwnership(next.value, opId) },
        { key, value: (opId) => encodeInstallation(taken, opId) },
      ],
      deletes: [successorKey(sandboxId)],
    });
    if (written.kind === 'committed') onWritten?.(next.value.kind);
    return written.kind;
  }

  return {
    async acknowledge({ session }, answer) {
      const { sandboxId, memberId } = session;
      const owner = world.owners.get(sandboxId);
      const onRecord = world.session(sandboxId, memberId);
      const config = world.configs.get(sandboxId);
      if (owner === undefined || onRecord === undefined || config === undefined) return;
      // The guards below are on what is on record now: it must be what was answered, and the session that answered.
      if (onRecord.value.sessionId !== session.sessionId) return;
      if (answer.revision !== config.value.revision || answer.hash !== config.value.hash) return;
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
      const { value } = owner;
      // Written before: then the supervisor only missed our word.
      if (value.epoch > epoch || (value.epoch === epoch && value.kind !== 'owned')) return 'written';
      // Only the owner can let go: anybody else's word would hand over a sandbox that is still served.
      if (value.kind !== 'owned' || value.by !== memberId) return 'not-written';
      const successor = readySuccessor(world, sandboxId);
      const written =
        successor === undefined ? await letGo(owner, session, epoch) : await takeOver(owner, sandboxId, epoch, successor);
      log.info(
        { sandboxId, memberId, ownerEpoch: epoch, to: successor?.value.installation.memberId, outcome: written },
        'ownership released',
      );
      return written === 'committed' ? 'written' : 'not-written';
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
