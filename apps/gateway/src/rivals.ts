import type { World } from '@sallyport/authority';
import type { MemberId, PoolId } from '@sallyport/model';

/**
 * Members on record in the place of one that has joined: with its uid, as the driver proved it, but of another life. Where
 * the driver is certain that no two live there at once, they are dead as soon as this one shows that it lives *after* they
 * were on record; before that, its word could have been on its way longer than theirs.
 */
export function rivalsOf(world: World, poolId: PoolId, memberId: MemberId, supervisorUid: string): readonly MemberId[] {
  const rivals = new Set<MemberId>();
  for (const [id, { value }] of world.members(poolId)) if (value.supervisorUid === supervisorUid) rivals.add(id);
  // The record of a member goes with its Join; that of an owner's session stays for as long as it owns.
  for (const sandboxId of world.sandboxesOf(poolId))
    for (const [id, { value }] of world.sessionsOf(sandboxId)) if (value.supervisorUid === supervisorUid) rivals.add(id);
  rivals.delete(memberId);
  return [...rivals];
}
