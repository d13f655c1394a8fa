import { BOUNDARY_DEDICATED_MS, BOUNDARY_SHARED_MS, type BoundaryClaims, type FenceOrder, type Mode } from '@sallyport/authority';
import type { MemberId, Nonce, OwnerEpoch, RuntimeId } from '@sallyport/model';
import type { Coverage } from '../coverage.ts';
import type { BoundaryLife } from '../nodes/boundary-node.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { Transcript } from '../transcript.ts';
import type { Names } from './names.ts';
import type { Tenures } from './tenures.ts';
import type { Court } from './violations.ts';

/** Bytes that reached an application through a boundary, against whose they were to be. */
export interface ByteTruth {
  issued(life: BoundaryLife, nonce: Nonce): void;
  /** Taken by the boundary. */
  presented(life: BoundaryLife, claims: BoundaryClaims): void;
  fenced(life: BoundaryLife, order: FenceOrder): void;
  opened(life: BoundaryLife, claims: BoundaryClaims): void;
  delivered(life: BoundaryLife, claims: BoundaryClaims): void;
  /** Whether the boundary of this runtime has ever obeyed a fence of this epoch. */
  hasObeyed(runtimeId: RuntimeId, epoch: OwnerEpoch): boolean;
  /** Whether this owner could open a way to the application at this instant. */
  mayReach(life: BoundaryLife | undefined, memberId: MemberId, epoch: OwnerEpoch): boolean;
}

export interface ByteTruthOptions {
  readonly now: () => number;
  readonly court: Court;
  readonly coverage: Coverage;
  readonly names: Names;
  readonly tenures: () => Tenures;
  readonly transcript: Transcript;
}

/** Of one life of a boundary. */
interface Seen {
  readonly issuedAt: Map<Nonce, number>;
  /** By epoch: true issue of the newest nonce that its tokens named. */
  readonly rightFrom: Map<OwnerEpoch, number>;
  fencedBelow: OwnerEpoch;
  openedAt: OwnerEpoch;
}

const LIFE_MS: Record<Mode, number> = { shared: BOUNDARY_SHARED_MS / 0.99, dedicated: BOUNDARY_DEDICATED_MS / 0.99 };
/** A suspension of less is not seen as one (model, CLOCK_JUMP_MS). */
const SLACK_MS = 150;

export function createByteTruth({ now, court, coverage, names, tenures, transcript }: ByteTruthOptions): ByteTruth {
  const lives = new WeakMap<SimProcess, Seen>();
  const obeyed = new Map<RuntimeId, OwnerEpoch>();

  function seenBy({ process }: BoundaryLife): Seen {
    const known = lives.get(process) ?? {
      issuedAt: new Map(),
      rightFrom: new Map(),
      fencedBelow: 0n as OwnerEpoch,
      openedAt: 0n as OwnerEpoch,
    };
    lives.set(process, known);
    return known;
  }

  const told = ({ process }: BoundaryLife, { sandboxId, memberId, ownerEpoch }: BoundaryClaims): string =>
    `${memberId} at ${names.epoch(sandboxId, ownerEpoch)} through ${process.name} to ${names.sandbox(sandboxId)}`;

  return {
    issued: (life, nonce) => void seenBy(life).issuedAt.set(nonce, now()),
    presented(life, claims) {
      const seen = seenBy(life);
      const issuedAt = seen.issuedAt.get(claims.nonce);
      court.looked('a right lives by its nonce');
      if (issuedAt === undefined)
        return court.broken('a right lives by its nonce', `${told(life, claims)}: a nonce that this life never issued`);
      const before = seen.rightFrom.get(claims.ownerEpoch);
      if (before === undefined && transcript.wants('story'))
        transcript.say('story', life.process.name, `lets ${told(life, claims)}`);
      if (before === undefined || issuedAt > before) seen.rightFrom.set(claims.ownerEpoch, issuedAt);
    },
    fenced(life, { epoch, sandboxId }) {
      const seen = seenBy(life);
      coverage['fences obeyed'] += 1;
      if (epoch > seen.fencedBelow && transcript.wants('story'))
        transcript.say('story', life.process.name, `obeys the fence ${names.epoch(sandboxId, epoch)}: nothing below it passes`);
      if (epoch > seen.fencedBelow) seen.fencedBelow = epoch;
      if (epoch > (obeyed.get(life.runtimeId) ?? 0n)) obeyed.set(life.runtimeId, epoch);
    },
    opened(life, claims) {
      const seen = seenBy(life);
      court.looked('no way opens under an epoch left behind');
      if (claims.ownerEpoch < seen.openedAt)
        court.broken(
          'no way opens under an epoch left behind',
          `${told(life, claims)}, after ${names.epoch(claims.sandboxId, seen.openedAt)}`,
        );
      else seen.openedAt = claims.ownerEpoch;
    },
    delivered(life, claims) {
      const { sandboxId, ownerEpoch, mode } = claims;
      const seen = seenBy(life);
      coverage['bytes delivered'] += 1;
      court.looked('no byte of a stale owner arrives');
      court.looked('a right lives by its nonce');
      if (ownerEpoch < seen.fencedBelow)
        court.broken('no byte of a stale owner arrives', `${told(life, claims)}, after its fence was obeyed`);
      const overtakenAt = tenures().overtakenAt(sandboxId, ownerEpoch);
      if (overtakenAt !== undefined)
        court.broken(
          'no byte of a stale owner arrives',
          `${told(life, claims)}, ${(now() - overtakenAt).toFixed(0)} ms after another was offered it`,
        );
      const from = seen.rightFrom.get(ownerEpoch) ?? Number.NEGATIVE_INFINITY;
      if (now() > from + LIFE_MS[mode] + SLACK_MS && !life.process.isFooled())
        court.broken('a right lives by its nonce', `${told(life, claims)}, ${(now() - from).toFixed(0)} ms after its nonce`);
    },
    hasObeyed: (runtimeId, epoch) => (obeyed.get(runtimeId) ?? 0n) >= epoch,
    mayReach(life, memberId, epoch) {
      if (life === undefined || !life.process.alive() || life.process.suspended()) return false;
      const right = life.guard.state().rights.get(epoch);
      return right?.memberId === memberId && right.admits && life.process.clock.peek() < right.until;
    },
  };
}
