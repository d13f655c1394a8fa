import { type Move, type RecordChange, SHARED_TAKEOVER_WAIT_MS, SUSPICION_GRACE_MS } from '@sallyport/authority';
import { at, fencing, gateway, owned, SANDBOX } from '@sallyport/authority/testing';
import type { GatewayEpoch, Instant, SandboxId } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import { startAssigner } from './assign.ts';
import type { Membership } from './membership.ts';
import type { OwnershipWrites } from './ownership-writes.ts';
import type { Sessions } from './sessions.ts';
import { recordWrites } from './testing/recorded-writes.ts';

/** Gateway g0 with authority since long ago, and a member m1 that could follow. What it would write is only noted. */
function open() {
  const { scene } = recordWrites();
  const manual = createManualClock(1_000_000);
  const here = { steadyMs: 0, ageMs: 100 as number | undefined, lostAt: undefined as Instant | undefined };
  // The two clocks part when somebody sets the one of the wall.
  const clock: Clock = { ...manual, steadyMs: () => here.steadyMs };
  const moves: Move[] = [];
  /** When anything was looked at: each look asks how old the view is. */
  const looks: Instant[] = [];
  const assigner = startAssigner({
    world: scene.world,
    membership: {
      current: () => ({ gatewayId: gateway('g0'), epoch: 1n as GatewayEpoch }),
      gainedAt: () => at(0),
    } as Partial<Membership> as Membership,
    sessions: {
      observed: () => ({ lostAt: here.lostAt, lastGoodReportAt: manual.now() }),
    } as Partial<Sessions> as Sessions,
    writes: {
      move: async (move: Move) => {
        moves.push(move);
        return 'unknown' as const;
      },
    } as Partial<OwnershipWrites> as OwnershipWrites,
    clock,
    unixMs: () => 0,
    ageMs() {
      looks.push(manual.now());
      return here.ageMs;
    },
  });
  const see = (): void => {
    const key = { kind: 'owner', sandboxId: SANDBOX } as const;
    assigner.moved([{ key, held: scene.world.owners.get(SANDBOX) } as RecordChange], new Set([SANDBOX]));
  };
  const pass = async (ms: number, steadyMs = ms): Promise<void> => {
    here.steadyMs += steadyMs;
    await manual.advanceAsync(ms);
  };
  const asked = (): readonly string[] => [...new Set(moves.map(({ to }) => to.kind))];
  return { scene, here, clock: manual, see, pass, asked, looks, assigner };
}

describe('the wait after a fence', () => {
  test('begins when its record is seen, not when it was sent (T2)', async () => {
    const { scene, here, clock, see, pass, asked } = open();
    await pass(SUSPICION_GRACE_MS + 1_000);
    see();
    here.lostAt = at(clock.now() - 10_000);
    await pass(1_000);
    expect(asked()).toEqual(['fencing']);
    // It is committed fifteen seconds later.
    await pass(15_000);
    scene.owner(fencing('m0', 8, 7));
    see();
    await pass(SHARED_TAKEOVER_WAIT_MS - 1_000);
    expect(asked()).toEqual(['fencing']);
    await pass(2_000);
    expect(asked()).toEqual(['fencing', 'offered']);
  });

  test('is counted by the clock that nobody can set', async () => {
    const { scene, see, pass, asked } = open();
    scene.owner(fencing('m0', 8, 7));
    see();
    await pass(10 * SHARED_TAKEOVER_WAIT_MS, SHARED_TAKEOVER_WAIT_MS - 1);
    expect(asked()).toEqual([]);
    await pass(1_000, 1);
    expect(asked()).toEqual(['offered']);
  });

  test('belongs to the epoch that was owned: the next fence of it does not begin it anew', async () => {
    const { scene, see, pass, asked } = open();
    scene.owner(fencing('m0', 8, 7));
    see();
    await pass(10_000);
    scene.owner(fencing('m0', 9, 7));
    see();
    await pass(SHARED_TAKEOVER_WAIT_MS - 10_000);
    expect(asked()).toEqual(['offered']);
  });

  test('of an owner that was back in between does begin anew', async () => {
    const { scene, see, pass, asked } = open();
    scene.owner(fencing('m0', 8, 7));
    see();
    await pass(10_000);
    scene.owner(owned('m0', 8));
    see();
    scene.owner(fencing('m0', 9, 8));
    see();
    await pass(SHARED_TAKEOVER_WAIT_MS - 1_000);
    expect(asked()).toEqual([]);
    await pass(1_000);
    expect(asked()).toEqual(['offered']);
  });
});

test('each second every sandbox is looked at, of a large fleet no more than some hundreds in one turn', async () => {
  const { scene, pass, looks } = open();
  const [sandbox, revision] = [scene.world.sandboxes.get(SANDBOX), scene.world.revision];
  const others = Array.from(
    { length: 2_000 },
    (_, index) => ({ kind: 'sandbox', sandboxId: `sb-${index}` as SandboxId }) as const,
  );
  scene.world.apply(
    others.map((key) => ({ key, held: sandbox }) as RecordChange),
    revision,
  );
  await pass(2_999);
  const turns = Map.groupBy(looks, (instant) => instant);
  expect(looks).toHaveLength(2 * 2_001);
  expect(Math.max(...[...turns.values()].map((each) => each.length))).toBeLessThanOrEqual(500);
});

describe('nobody is suspected', () => {
  test('by a view that stands still, nor soon after it moves again', async () => {
    const { here, clock, see, pass, asked } = open();
    await pass(SUSPICION_GRACE_MS + 1_000);
    see();
    here.ageMs = undefined;
    here.lostAt = at(clock.now());
    await pass(60_000);
    expect(asked()).toEqual([]);
    here.ageMs = 100;
    await pass(SUSPICION_GRACE_MS);
    expect(asked()).toEqual([]);
    await pass(1_000);
    expect(asked()).toEqual(['fencing']);
  });
});
