import type { Evidence, Listener, OwnerMove } from './evidence.ts';

/** One stretch of ownership by one life of one supervisor, as the store told it. */
export interface Tenure {
  readonly epoch: bigint;
  readonly memberId: string;
  readonly listener: string;
  /** Which life of the listener's process; 0 is the first. */
  readonly life: number;
  /** No later than this was it offered. */
  readonly beganAt: number;
  /** No earlier than this did the record move away from it; undefined: it lasts. */
  readonly endedAt: number | undefined;
  /** It was fenced: nobody asked it. */
  readonly fenced: boolean;
}

/** How late a watch may tell of what is committed: it is in this process, which is busy. Never a reason to forgive an order. */
export const WATCH_LATE_MS = 1_000;

export function tenuresOf(evidence: Pick<Evidence, 'moves' | 'members' | 'listeners'>, sandbox: string): readonly Tenure[] {
  const moves = evidence.moves.filter((move) => move.sandbox === sandbox).toSorted((a, b) => compare(a, b));
  const tenures: Tenure[] = [];
  for (const [index, move] of moves.entries()) {
    if ((move.kind !== 'owned' && move.kind !== 'offered') || move.memberId === undefined) continue;
    if (tenures.at(-1)?.epoch === move.epoch) continue;
    const member = evidence.members.find(({ memberId }) => memberId === move.memberId);
    const listener = evidence.listeners.find(({ port }) => port === member?.appPort);
    if (member === undefined || listener === undefined) continue;
    const left = moves
      .slice(index + 1)
      .find(({ epoch, kind }) => epoch > move.epoch || kind === 'released' || kind === 'deleted');
    // Back before anybody was offered it: fenced, and owned again under the epoch of the fence.
    const fenced = left?.kind === 'fencing';
    const life = lifeAt(listener, member.seenAt);
    tenures.push({
      epoch: move.epoch,
      memberId: move.memberId,
      listener: listener.name,
      life,
      beganAt: move.seenAt,
      endedAt: left?.seenAt,
      fenced,
    });
  }
  return tenures;
}

const ORDER = ['offered', 'owned', 'fencing', 'released', 'deleted'];
const compare = (a: OwnerMove, b: OwnerMove): number =>
  a.epoch === b.epoch ? ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) : a.epoch < b.epoch ? -1 : 1;

export const lifeAt = ({ startedAt }: Listener, at: number): number =>
  Math.max(0, startedAt.filter((each) => each <= at).length - 1);

/** The newest tenure of this life of this listener that had begun by then. */
export const tenureAt = (tenures: readonly Tenure[], listener: string, life: number, at: number): Tenure | undefined =>
  tenures.findLast((tenure) => tenure.listener === listener && tenure.life === life && tenure.beganAt <= at + WATCH_LATE_MS);
