/** Knows where it stands in the one roster that it may be in. */
export interface Listed {
  slot: number;
}

/** Not in any. */
export const UNLISTED = -1;

/**
 * Who is there, in no order: what a `Set` would be, of members that come and go by the thousand. A Set makes itself a new table each few of
 * them, and an old table holds on to whoever was in it and to the next one, from one collection to the next: half of what had ended
 * was kept and copied, and that was more than a tenth of the processor time of a new connection.
 */
export interface Roster<T extends Listed> {
  /** Not to be changed by the caller. Whoever goes through it while members leave does so from the end. */
  readonly members: readonly T[];
  /** Nothing happens where it is in it. */
  add(member: T): void;
  /** Nothing happens where it is not in it. */
  remove(member: T): void;
}

export function createRoster<T extends Listed>(): Roster<T> {
  const members: T[] = [];
  return {
    members,
    add(member) {
      if (members[member.slot] === member) return;
      member.slot = members.length;
      members.push(member);
    },
    remove(member) {
      const { slot } = member;
      if (members[slot] !== member) return;
      member.slot = UNLISTED;
      const last = members.pop() as T;
      if (last === member) return;
      members[slot] = last;
      last.slot = slot;
    },
  };
}
