import { fenceBearer, successorOf, type World } from '@sallyport/authority';
import type { MemberId, SandboxId } from '@sallyport/model';
import type { Assignment } from '@sallyport/wire';

/**
 * What every member should hold a session about, kept up sandbox by sandbox: a pool may have thousands of them, and each of
 * them changes hands by itself.
 */
export interface Assignments {
  /** These sandboxes have moved. Returns the members whose lists are others now. */
  moved(sandboxIds: Iterable<SandboxId>): ReadonlySet<MemberId>;
  /** The whole list, in a fixed order. */
  of(memberId: MemberId): readonly Assignment[];
}

interface Placed {
  readonly assignment: Assignment;
  readonly members: readonly MemberId[];
}

export function createAssignments(world: World): Assignments {
  const placed = new Map<SandboxId, Placed>();
  const byMember = new Map<MemberId, Set<SandboxId>>();
  /** Who follows an owner that drains or is fenced hangs on what others of the pool hold: looked at whenever anything moves. */
  const onTheMove = new Set<SandboxId>();

  function look(sandboxId: SandboxId, changed: Set<MemberId>): void {
    const before = placed.get(sandboxId);
    const next = placeOf(world, sandboxId);
    if (isOnTheMove(world, sandboxId)) onTheMove.add(sandboxId);
    else onTheMove.delete(sandboxId);
    if (same(before, next)) return;
    for (const memberId of before?.members ?? []) {
      const held = byMember.get(memberId);
      held?.delete(sandboxId);
      if (held?.size === 0) byMember.delete(memberId);
      changed.add(memberId);
    }
    if (next === undefined) placed.delete(sandboxId);
    else placed.set(sandboxId, next);
    for (const memberId of next?.members ?? []) {
      byMember.set(memberId, (byMember.get(memberId) ?? new Set()).add(sandboxId));
      changed.add(memberId);
    }
  }

  return {
    moved(sandboxIds) {
      const changed = new Set<MemberId>();
      const looked = new Set([...sandboxIds, ...onTheMove]);
      for (const sandboxId of looked) look(sandboxId, changed);
      return changed;
    },
    of: (memberId) => [...(byMember.get(memberId) ?? [])].sort().flatMap((sandboxId) => placed.get(sandboxId)?.assignment ?? []),
  };
}

/** Whoever owns the sandbox, is offered it, may still win it back, or is to follow. */
function placeOf(world: World, sandboxId: SandboxId): Placed | undefined {
  const sandbox = world.sandboxes.get(sandboxId)?.value;
  const members = concerned(world, sandboxId);
  if (sandbox === undefined || members.length === 0) return undefined;
  const { runtimeId, mode, workspace, sandbox: name, boundaryAddress } = sandbox;
  return { assignment: { sandboxId, runtimeId, mode, workspace, sandbox: name, boundaryAddress }, members };
}

function concerned(world: World, sandboxId: SandboxId): readonly MemberId[] {
  const owner = world.owners.get(sandboxId)?.value;
  switch (owner?.kind) {
    case 'offered':
      return [owner.to];
    case 'owned':
      // A successor installs and reports beside the owner, before anything changes hands.
      return both(owner.by, successorOf(world, sandboxId));
    case 'fencing':
      return both(owner.from, fenceBearer(world, sandboxId));
    case 'released':
    case undefined:
      return [];
  }
}

const both = (first: MemberId, second: MemberId | undefined): readonly MemberId[] =>
  second === undefined || second === first ? [first] : [first, second];

function isOnTheMove(world: World, sandboxId: SandboxId): boolean {
  const owner = world.owners.get(sandboxId)?.value;
  if (owner?.kind === 'fencing') return true;
  const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
  return owner?.kind === 'owned' && poolId !== undefined && world.members(poolId).get(owner.by)?.value.draining === true;
}

const same = (a: Placed | undefined, b: Placed | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.assignment.runtimeId === b.assignment.runtimeId &&
    a.assignment.mode === b.assignment.mode &&
    a.assignment.boundaryAddress === b.assignment.boundaryAddress &&
    a.members.length === b.members.length &&
    a.members.every((memberId, index) => memberId === b.members[index]));
