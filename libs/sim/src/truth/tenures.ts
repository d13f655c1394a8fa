import { FRESHNESS_MS, LEASE_MS, type Mode, type Ownership, type RecordChange, type World } from '@sallyport/authority';
import type { MemberId, OwnerEpoch, RuntimeId, SandboxId } from '@sallyport/model';
import type { Coverage } from '../coverage.ts';
import type { Names } from './names.ts';
import type { Court } from './violations.ts';

/** Who truly owned what, and until when: judged from each change of the owner records. */
export interface Tenures {
  /** Once for each revision. */
  changed(changes: readonly RecordChange[]): void;
  /** When the record stopped to say `owned` of this epoch; undefined while it does, or if it never did. */
  endedAt(sandboxId: SandboxId, epoch: OwnerEpoch): number | undefined;
  /** Since when another is meant to own it than whoever held this epoch, which was taken away; undefined: never. */
  overtakenAt(sandboxId: SandboxId, epoch: OwnerEpoch): number | undefined;
  /** Since when this member is not the owner on record; undefined while it is. */
  notOwnerSince(sandboxId: SandboxId, memberId: MemberId): number | undefined;
}

export interface TenuresOptions {
  readonly world: World;
  readonly now: () => number;
  readonly court: Court;
  readonly coverage: Coverage;
  readonly names: Names;
  readonly isFrozen: (memberId: MemberId) => boolean;
  /** Its process is over, as a driver may know. */
  readonly isDead: (memberId: MemberId) => boolean;
  /** The boundary of this runtime has obeyed a fence of this epoch. */
  readonly hasObeyed: (runtimeId: RuntimeId, epoch: OwnerEpoch) => boolean;
}

type Fencing = Extract<Ownership, { kind: 'fencing' }>;

/** Long before the true waits of 17 s and 33 s, and just when nothing of the old owner can be left by any clock. */
const SILENT_AFTER_MS: Record<Mode, number> = { shared: LEASE_MS / 0.99, dedicated: FRESHNESS_MS / 0.99 };

export function createTenures({ world, now, court, coverage, names, isFrozen, isDead, hasObeyed }: TenuresOptions): Tenures {
  const present = new Map<SandboxId, Ownership>();
  const modes = new Map<SandboxId, Mode>();
  const ended = new Map<string, number>();
  const lastOwned = new Map<string, number>();
  const fencedAt = new Map<SandboxId, number>();
  const overtaken = new Map<SandboxId, { readonly below: OwnerEpoch; readonly at: number }[]>();
  const highestEpochs = new Map<SandboxId, OwnerEpoch>();
  const tenure = (sandboxId: SandboxId, epoch: OwnerEpoch): string => `${sandboxId}/${epoch}`;
  const holding = (sandboxId: SandboxId, memberId: MemberId): string => `${sandboxId}/${memberId}`;

  function moved(sandboxId: SandboxId, from: Ownership | undefined, to: Ownership | undefined): void {
    court.looked('transitions are legal');
    if (from?.kind === 'owned' && !(to?.kind === 'owned' && to.epoch === from.epoch)) {
      ended.set(tenure(sandboxId, from.epoch), now());
      lastOwned.set(holding(sandboxId, from.by), now());
    }
    if (to?.kind === 'fencing') fencedAt.set(sandboxId, now());
    if (from === undefined || to === undefined) return;
    const told = `${names.sandbox(sandboxId)}: ${names.ownership(sandboxId, from)} → ${names.ownership(sandboxId, to)}`;
    const problem = problemOf(from, to);
    if (problem !== undefined) court.broken('transitions are legal', `${told}: ${problem}`);
    if (from.kind === 'fencing' && to.kind === 'offered') waited(sandboxId, from, to.epoch, told);
    if (from.kind === 'fencing' && to.kind === 'owned') coverage['owners restored'] += 1;
    if (from.kind === 'owned' && to.kind === 'released') coverage.releases += 1;
  }

  function waited(sandboxId: SandboxId, { from, epoch, runtimeId }: Fencing, next: OwnerEpoch, told: string): void {
    court.looked('a takeover waits');
    coverage.takeovers += 1;
    if (isFrozen(from)) coverage['takeovers, old owner frozen'] += 1;
    const waitedMs = now() - (fencedAt.get(sandboxId) ?? 0);
    const leastMs = SILENT_AFTER_MS[modes.get(sandboxId) ?? 'shared'];
    const wasDead = isDead(from);
    // What a process has sent before it died may still arrive, and its right ends with its nonce.
    if (!wasDead) overtaken.set(sandboxId, [...(overtaken.get(sandboxId) ?? []), { below: next, at: now() }]);
    if (waitedMs >= leastMs) return;
    if (hasObeyed(runtimeId, epoch)) coverage['takeovers by a boundary'] += 1;
    else if (wasDead) coverage['takeovers by proof of death'] += 1;
    else
      court.broken(
        'a takeover waits',
        `${told} ${waitedMs.toFixed(0)} ms after the fence; an old lease lasts ${leastMs.toFixed(0)} ms`,
      );
  }

  /** Of every sandbox at every revision, whoever wrote it and whatever it was about: against the highest that ever stood there. */
  function epochsRise(): void {
    for (const [sandboxId, { epoch }] of present) {
      const highest = highestEpochs.get(sandboxId) ?? epoch;
      court.looked('epochs only rise');
      if (epoch < highest)
        court.broken(
          'epochs only rise',
          `${names.sandbox(sandboxId)}: ${names.epoch(sandboxId, epoch)} after ${names.epoch(sandboxId, highest)}`,
        );
      else if (epoch > highest || !highestEpochs.has(sandboxId)) highestEpochs.set(sandboxId, epoch);
    }
  }

  return {
    changed(changes) {
      for (const { key, held } of changes) {
        if (key.kind === 'sandbox' && held !== undefined) {
          const sandbox = world.sandboxes.get(key.sandboxId)?.value;
          if (sandbox !== undefined) {
            modes.set(key.sandboxId, sandbox.mode);
            names.learn(key.sandboxId, sandbox.sandbox);
          }
        }
        if (key.kind !== 'owner') continue;
        const to = held?.value as Ownership | undefined;
        moved(key.sandboxId, present.get(key.sandboxId), to);
        if (to === undefined) present.delete(key.sandboxId);
        else present.set(key.sandboxId, to);
      }
      epochsRise();
    },
    overtakenAt: (sandboxId, epoch) => overtaken.get(sandboxId)?.find(({ below }) => epoch < below)?.at,
    endedAt: (sandboxId, epoch) => ended.get(tenure(sandboxId, epoch)),
    notOwnerSince(sandboxId, memberId) {
      const owner = present.get(sandboxId);
      if (owner?.kind === 'owned' && owner.by === memberId) return undefined;
      return lastOwned.get(holding(sandboxId, memberId)) ?? 0;
    },
  };
}

/** The table of DESIGN section 5, written once more and without the code that is judged by it. */
function problemOf(from: Ownership, to: Ownership): string | undefined {
  const rises = to.epoch > from.epoch;
  const same = to.epoch === from.epoch;
  switch (`${from.kind} ${to.kind}`) {
    case 'released offered':
      return rises ? undefined : 'an offer is a new epoch';
    case 'offered offered':
      return !rises ? 'an offer is a new epoch' : 'to' in from && 'to' in to && from.to === to.to ? 'the same member' : undefined;
    case 'offered owned':
      return same && 'to' in from && 'by' in to && from.to === to.by ? undefined : 'only who was offered it, at that epoch';
    case 'owned owned':
      return rises && 'by' in from && 'by' in to && from.by !== to.by ? undefined : 'a hand-over is to another, at a new epoch';
    case 'owned released':
      return same ? undefined : 'a release keeps the epoch';
    case 'owned fencing':
      return rises && 'by' in from && 'from' in to && from.by === to.from && to.ownedEpoch === from.epoch
        ? undefined
        : 'a fence names the owner and its epoch';
    case 'fencing owned':
      return same && 'from' in from && 'by' in to && from.from === to.by ? undefined : 'only the suspect, at the fencing epoch';
    case 'fencing offered':
      return rises && 'from' in from && 'to' in to && from.from !== to.to ? undefined : 'to another, at a new epoch';
    default:
      return 'no such transition';
  }
}
