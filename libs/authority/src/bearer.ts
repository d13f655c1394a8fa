import type { MemberId, SandboxId } from '@sallyport/model';
import { firstInRank } from './successor.ts';
import type { World } from './world.ts';

/**
 * Who is to carry a fence to the boundary: the member that every gateway finds for this sandbox, and that will most likely
 * follow. Only the runtime that the fenced epoch served may confirm: a workload that was replaced since is another one,
 * whose boundary knows nothing of what the old owner can still reach.
 */
export function fenceBearer(world: World, sandboxId: SandboxId): MemberId | undefined {
  const owner = world.owners.get(sandboxId)?.value;
  const sandbox = world.sandboxes.get(sandboxId)?.value;
  if (owner?.kind !== 'fencing' || sandbox?.boundaryAddress === undefined) return undefined;
  return sandbox.runtimeId === owner.runtimeId ? firstInRank(world, sandboxId, sandbox, owner.from) : undefined;
}
