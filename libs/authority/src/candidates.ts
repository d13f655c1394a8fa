import type { MemberId } from '@sallyport/model';
import type { MemberRecord, SandboxRecord } from './records.ts';
import type { World } from './world.ts';

/**
 * The ready member of the pool that owns the fewest of its sandboxes and has room; the smallest id among equals. One whose
 * gateway is gone is none: nobody knows that it is there, and as it owns nothing it would be chosen again and again.
 */
export function candidate(
  world: World,
  sandbox: SandboxRecord,
  may: (member: MemberRecord) => boolean,
  except?: MemberId,
): MemberId | undefined {
  let best: MemberId | undefined;
  let bestLoad = Number.POSITIVE_INFINITY;
  for (const [memberId, { value: member }] of world.members(sandbox.poolId)) {
    const owned = world.ownedCount(memberId);
    if (memberId === except || !isHere(world, member) || owned >= member.capacity || !may(member)) continue;
    if (owned > bestLoad || (owned === bestLoad && best !== undefined && best < memberId)) continue;
    best = memberId;
    bestLoad = owned;
  }
  return best;
}

/** Ready, staying, and held by a gateway that stands. */
export const isHere = (world: World, member: MemberRecord): boolean =>
  member.ready && !member.draining && world.gateways.has(member.gatewayId);
