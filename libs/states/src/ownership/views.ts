import type { Held, Ownership, World } from '@sallyport/authority';
import type { MemberId } from '@sallyport/model';
import { type Records, SANDBOX } from '../records.ts';

/** The world as a gateway sees it that has this owner in view: all else stands still. */
export interface Views {
  of(owner: Held<Ownership>): World;
}

export const createViews = ({ world }: Records): Views => ({
  of: (owner) =>
    Object.create(world, {
      owners: { value: new Map([[SANDBOX, owner]]) },
      ownedCount: { value: (id: MemberId) => (holds(owner.value, id) ? 1 : 0) },
    }),
});

const holds = (owner: Ownership, id: MemberId): boolean =>
  (owner.kind === 'owned' && owner.by === id) || (owner.kind === 'offered' && owner.to === id);
