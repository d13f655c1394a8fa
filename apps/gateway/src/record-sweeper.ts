import { ORPHAN_MEMBER_MS, type World } from '@sallyport/authority';
import { type GatewayId, type Instant, later, type MemberId, type SandboxId, type StoreRevision } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import { type Guard, renewalKey, sessionKey, successorKey } from '@sallyport/store';
import type { Membership } from './membership.ts';
import type { Writer } from './writer.ts';

export interface RecordSweeperOptions {
  readonly world: World;
  readonly membership: Membership;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ageMs: () => number | undefined;
}

const LOOK_EVERY_MS = 15_000;
/** Deletions of one look: tidying up must not compete with what matters. */
const DELETIONS_MAX = 64;

interface Worthless {
  readonly key: string;
  readonly guards: readonly Guard[];
}

/**
 * Removes what nothing rests on any more: renewals of gateways that are gone, sessions of members that are gone, and the
 * preparations of successors that were overtaken. Each deletion compares the record, so that what came back stays.
 */
export function startRecordSweeper({ world, membership, writer, clock, ageMs }: RecordSweeperOptions): { stop(): void } {
  const goneSince = new Map<GatewayId, Instant>();

  function* worthless(): Generator<Worthless> {
    for (const gatewayId of world.renewingGateways()) {
      if (world.gateways.has(gatewayId)) continue;
      // A gateway that has only just lost its key may still be read about.
      const since = goneSince.get(gatewayId) ?? clock.now();
      goneSince.set(gatewayId, since);
      if (clock.now() < later(since, ORPHAN_MEMBER_MS)) continue;
      for (const [bucket, { modRevision }] of world.renewals(gatewayId)) yield only(renewalKey(gatewayId, bucket), modRevision);
    }
    for (const sandboxId of world.sessionedSandboxes()) {
      for (const [memberId, { modRevision }] of world.sessionsOf(sandboxId)) {
        if (!isNeeded(sandboxId, memberId)) yield only(sessionKey(sandboxId, memberId), modRevision);
      }
    }
    for (const [sandboxId, { value, modRevision }] of world.successors) {
      if (world.owners.get(sandboxId)?.value.epoch !== value.follows) yield only(successorKey(sandboxId), modRevision);
    }
  }

  /** A member that is there may come back to it; an owner's, and that of one being fenced, is what suspicion compares. */
  function isNeeded(sandboxId: SandboxId, memberId: MemberId): boolean {
    const sandbox = world.sandboxes.get(sandboxId)?.value;
    const owner = world.owners.get(sandboxId)?.value;
    if (sandbox === undefined || owner === undefined) return false;
    if (world.members(sandbox.poolId).has(memberId)) return true;
    return (owner.kind === 'owned' && owner.by === memberId) || (owner.kind === 'fencing' && owner.from === memberId);
  }

  async function look(): Promise<void> {
    let count = 0;
    for (const { key, guards } of [...worthless()].slice(0, DELETIONS_MAX)) {
      if (membership.current() === undefined || ageMs() === undefined) return;
      await writer.write({ guards, puts: [], deletes: [key] });
      count += 1;
    }
    if (count === 0) for (const gatewayId of goneSince.keys()) if (world.gateways.has(gatewayId)) goneSince.delete(gatewayId);
  }

  const cancel = clock.every(LOOK_EVERY_MS, () => void look());
  return { stop: cancel };
}

const only = (key: string, revision: StoreRevision): Worthless => ({ key, guards: [{ key, is: 'unmoved-since', revision }] });
