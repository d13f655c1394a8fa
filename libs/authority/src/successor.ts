import type { MemberId, SandboxId } from '@sallyport/model';
import { isHere } from './candidates.ts';
import type { Held, Installation, SandboxRecord, Successor } from './records.ts';
import type { World } from './world.ts';

/**
 * Who is to take over from an owner that drains; only drains rebalance. Every gateway must come to the same member from the
 * same records, and stay with it while others of the pool change hands, or its preparation would be thrown away: so it
 * is the member that ranks highest for this sandbox (rendezvous hashing), not the one with the least load.
 */
export function successorOf(world: World, sandboxId: SandboxId): MemberId | undefined {
  const owner = world.owners.get(sandboxId)?.value;
  const sandbox = world.sandboxes.get(sandboxId)?.value;
  if (owner?.kind !== 'owned' || sandbox === undefined) return undefined;
  if (world.members(sandbox.poolId).get(owner.by)?.value.draining !== true) return undefined;
  return firstInRank(world, sandboxId, sandbox, owner.by);
}

/** Among those that are here and have room. */
export function firstInRank(world: World, sandboxId: SandboxId, sandbox: SandboxRecord, except: MemberId): MemberId | undefined {
  let best: MemberId | undefined;
  let bestRank = -1;
  for (const [memberId, { value: member }] of world.members(sandbox.poolId)) {
    if (memberId === except || !isHere(world, member) || world.ownedCount(memberId) >= member.capacity) continue;
    const rank = rankOf(`${sandboxId}/${memberId}`);
    if (rank < bestRank || (rank === bestRank && best !== undefined && best < memberId)) continue;
    best = memberId;
    bestRank = rank;
  }
  return best;
}

/** FNV-1a, 32 bits: spreads, and is the same everywhere. */
function rankOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/**
 * The successor's preparation, if every record that it rests on still stands: then the owner may be asked to let go. Its
 * age is not judged here: the successor lives on its own leases, and discovery counts the installation's life.
 */
export function readySuccessor(world: World, sandboxId: SandboxId): Held<Successor> | undefined {
  const held = world.successors.get(sandboxId);
  const owner = world.owners.get(sandboxId);
  if (held === undefined || owner?.value.kind !== 'owned' || held.value.follows !== owner.value.epoch) return undefined;
  const { installation } = held.value;
  if (installation.memberId !== successorOf(world, sandboxId) || installation.fence.owner !== owner.modRevision) return undefined;
  return standsBesideOwner(world, sandboxId, installation) ? held : undefined;
}

function standsBesideOwner(world: World, sandboxId: SandboxId, { fence, memberId }: Installation): boolean {
  const sandbox = world.sandboxes.get(sandboxId);
  return (
    sandbox !== undefined &&
    fence.generation === world.generation?.value &&
    fence.sandbox === sandbox.modRevision &&
    fence.session === world.session(sandboxId, memberId)?.modRevision &&
    fence.config === world.configs.get(sandboxId)?.modRevision &&
    fence.credential === world.credentials.get(sandboxId)?.modRevision &&
    fence.memberCreated === world.members(sandbox.value.poolId).get(memberId)?.createRevision
  );
}

/** Whether an owner should be asked to let go: it drains, and either its successor is ready or there is none to wait for. */
export function releaseIsDue(world: World, sandboxId: SandboxId, memberId: MemberId): boolean {
  const owner = world.owners.get(sandboxId)?.value;
  const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
  if (owner?.kind !== 'owned' || owner.by !== memberId || poolId === undefined) return false;
  if (world.members(poolId).get(memberId)?.value.draining !== true) return false;
  return successorOf(world, sandboxId) === undefined || readySuccessor(world, sandboxId) !== undefined;
}
