import { err, type MemberId, type OwnerEpoch, ok, type Result, type RuntimeId } from '@sallyport/model';
import type { Ownership } from './records.ts';

/**
 * The table of DESIGN section 5: every transition of one sandbox's ownership. Each is decided here and written by one
 * guarded commit over the record's revision; nothing else changes an owner.
 */

/** Why a transition is not legal: which fact overtook whoever wanted it. */
export type OwnershipRefusal =
  | 'not_released'
  | 'not_offered'
  | 'not_owned'
  | 'not_fencing'
  | 'other_epoch'
  | 'other_member'
  | 'same_member';

type Next<K extends Ownership['kind']> = Result<Extract<Ownership, { kind: K }>, OwnershipRefusal>;

/** Epochs survive a restore from backup because they also follow the wall clock. */
export const nextEpoch = (epoch: OwnerEpoch, unixMs: number): OwnerEpoch => {
  const byClock = BigInt(Math.trunc(unixMs));
  return (byClock > epoch ? byClock : epoch + 1n) as OwnerEpoch;
};

/** released → offered: a ready member has joined. */
export function offer(current: Ownership, to: MemberId, unixMs: number): Next<'offered'> {
  if (current.kind !== 'released') return err('not_released');
  return ok({ kind: 'offered', epoch: nextEpoch(current.epoch, unixMs), to });
}

/** offered → offered to another: the first has not answered, or is gone. It holds nothing yet, so there is no wait. */
export function reoffer(current: Ownership, to: MemberId, unixMs: number): Next<'offered'> {
  if (current.kind !== 'offered') return err('not_offered');
  if (current.to === to) return err('same_member');
  return ok({ kind: 'offered', epoch: nextEpoch(current.epoch, unixMs), to });
}

/**
 * offered → owned: the member answered the configuration, by applying *or* rejecting it, and named this epoch. A
 * rejection takes it too: the configuration is at fault, and another member would reject it just so.
 */
export function acknowledge(current: Ownership, by: MemberId, epoch: OwnerEpoch): Next<'owned'> {
  if (current.kind !== 'offered') return err('not_offered');
  if (current.epoch !== epoch) return err('other_epoch');
  if (current.to !== by) return err('other_member');
  return ok({ kind: 'owned', epoch, by });
}

/** owned → owned by a successor: the owner has released this very epoch, and the successor has installed and reported. */
export function handOver(current: Ownership, released: OwnerEpoch, to: MemberId, unixMs: number): Next<'owned'> {
  if (current.kind !== 'owned') return err('not_owned');
  if (current.epoch !== released) return err('other_epoch');
  if (current.by === to) return err('same_member');
  return ok({ kind: 'owned', epoch: nextEpoch(current.epoch, unixMs), by: to });
}

/** owned → released: released with nobody to follow. A late word about an earlier tenure ends nothing. */
export function release(current: Ownership, by: MemberId, released: OwnerEpoch): Next<'released'> {
  if (current.kind !== 'owned') return err('not_owned');
  if (current.by !== by) return err('other_member');
  if (current.epoch !== released) return err('other_epoch');
  return ok({ kind: 'released', epoch: current.epoch });
}

/** owned → fencing: the owner is suspect. It may still be serving; the wait, or a proof, decides. */
export function fence(current: Ownership, runtimeId: RuntimeId, unixMs: number): Next<'fencing'> {
  if (current.kind !== 'owned') return err('not_owned');
  return ok({ kind: 'fencing', epoch: nextEpoch(current.epoch, unixMs), from: current.by, ownedEpoch: current.epoch, runtimeId });
}

/** fencing → owned by the same member again: it is back and has acknowledged the fencing epoch. */
export function restore(current: Ownership, by: MemberId, epoch: OwnerEpoch): Next<'owned'> {
  if (current.kind !== 'fencing') return err('not_fencing');
  if (current.from !== by) return err('other_member');
  if (current.epoch !== epoch) return err('other_epoch');
  return ok({ kind: 'owned', epoch, by });
}

/**
 * fencing → offered: the wait is over, or the owner's end is proved. Never to the fenced member: it would come back
 * without a wait and could be passed on without one.
 */
export function offerAfterFence(current: Ownership, to: MemberId, unixMs: number): Next<'offered'> {
  if (current.kind !== 'fencing') return err('not_fencing');
  if (current.from === to) return err('same_member');
  return ok({ kind: 'offered', epoch: nextEpoch(current.epoch, unixMs), to });
}
