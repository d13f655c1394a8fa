import { createWorld, type MemberRecord, type Ownership, type RecordChange, successorOf } from '@sallyport/authority';
import type { MemberId, PoolId, SandboxId, StoreRevision } from '@sallyport/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAssignments } from './assignments.ts';

const POOL = 'p' as PoolId;
const members = ['m0', 'm1', 'm2'] as MemberId[];
const sandboxes = ['s0', 's1', 's2', 's3'] as SandboxId[];

const member = fc.record({ ready: fc.boolean(), draining: fc.boolean(), capacity: fc.integer({ min: 1, max: 3 }) });
const someone = fc.constantFrom(...members);
const ownership = fc.oneof(
  fc.constant({ kind: 'released' }),
  someone.map((to) => ({ kind: 'offered', to })),
  someone.map((by) => ({ kind: 'owned', by })),
  someone.map((from) => ({ kind: 'fencing', from, ownedEpoch: 1n, runtimeId: 'r' })),
);
const step = fc.oneof(
  fc.record({ about: fc.constant('member' as const), id: someone, value: fc.option(member) }),
  fc.record({ about: fc.constant('owner' as const), id: fc.constantFrom(...sandboxes), value: fc.option(ownership) }),
  fc.record({
    about: fc.constant('sandbox' as const),
    id: fc.constantFrom(...sandboxes),
    value: fc.option(fc.constantFrom('r1', 'r2')),
  }),
);

const held = <T>(value: T, revision: number) =>
  ({ value, modRevision: BigInt(revision) as StoreRevision, createRevision: BigInt(revision) as StoreRevision }) as never;

test('kept up change by change, every list is what looking at all sandboxes would give', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = createWorld();
      world.apply(
        [{ key: { kind: 'gateway', gatewayId: 'g' as never }, held: held({ address: '', version: '' }, 1) }],
        1n as never,
      );
      const assignments = createAssignments(world);
      const told = new Map<MemberId, string>();
      for (const [index, each] of steps.entries()) {
        const revision = index + 2;
        world.apply([changeOf(each, revision)], BigInt(revision) as StoreRevision);
        // As the replica does: a member's change is about all sandboxes of its pool.
        const touched = each.about === 'member' ? [...world.sandboxesOf(POOL)] : [each.id as SandboxId];
        for (const memberId of assignments.moved(touched)) told.set(memberId, listOf(assignments.of(memberId)));
        for (const memberId of members) expect(told.get(memberId) ?? '').toBe(expected(world, memberId));
      }
    }),
    { numRuns: 300 },
  );
});

const listOf = (list: readonly { sandboxId: string; runtimeId: string }[]): string =>
  list.map(({ sandboxId, runtimeId }) => `${sandboxId}/${runtimeId}`).join(' ');

function expected(world: ReturnType<typeof createWorld>, memberId: MemberId): string {
  const list = [...world.sandboxes].flatMap(([sandboxId, { value }]) => {
    const owner = world.owners.get(sandboxId)?.value;
    const concerns =
      (owner?.kind === 'offered' && owner.to === memberId) ||
      (owner?.kind === 'owned' && (owner.by === memberId || successorOf(world, sandboxId) === memberId)) ||
      (owner?.kind === 'fencing' && owner.from === memberId);
    return concerns ? [{ sandboxId, runtimeId: value.runtimeId }] : [];
  });
  return listOf(list.sort((a, b) => (a.sandboxId < b.sandboxId ? -1 : 1)));
}

function changeOf(each: typeof step extends fc.Arbitrary<infer T> ? T : never, revision: number): RecordChange {
  switch (each.about) {
    case 'member': {
      const record = each.value === null ? undefined : ({ ...each.value, gatewayId: 'g' } as unknown as MemberRecord);
      const key = { kind: 'member' as const, poolId: POOL, memberId: each.id };
      return { key, held: record === undefined ? undefined : held(record, revision) };
    }
    case 'owner': {
      const record = each.value === null ? undefined : ({ ...each.value, epoch: BigInt(revision) } as unknown as Ownership);
      return { key: { kind: 'owner', sandboxId: each.id }, held: record === undefined ? undefined : held(record, revision) };
    }
    case 'sandbox': {
      const record = { workspace: 'w', sandbox: each.id, mode: 'shared', poolId: POOL, runtimeId: each.value };
      return { key: { kind: 'sandbox', sandboxId: each.id }, held: each.value === null ? undefined : held(record, revision) };
    }
  }
}
