import type { MemberId } from '@sallyport/model';
import { hasWishes } from './faults/wishes.ts';
import type { SandboxSpec } from './nodes/operator.ts';
import type { SimWorld } from './world.ts';

/** After faults stop: who has a living owner is published again within this; everybody else within the longer one. */
const OWNED_WITHIN_MS = 20_000;
const ALL_WITHIN_MS = 60_000;

/** Lets a calm pass, and judges whether everything came back in it. */
export async function awaitPublication(world: SimWorld, calmMs: number): Promise<void> {
  const { court } = world;
  const settlingMs = await settled(world);
  const owned = world.sandboxes.map((spec) => ({ spec, by: livingOwner(world, spec) }));
  await world.run(OWNED_WITHIN_MS);
  if (court.violations.length > 0) return;
  for (const { spec, by } of owned)
    if (by !== undefined && isAlive(world, by)) expectPublished(world, spec, 'an owner that lives is published', OWNED_WITHIN_MS);
  await world.run(ALL_WITHIN_MS - OWNED_WITHIN_MS);
  if (court.violations.length > 0) return;
  for (const spec of world.sandboxes) expectPublished(world, spec, 'every sandbox is published', ALL_WITHIN_MS);
  await world.run(Math.max(0, calmMs - ALL_WITHIN_MS - settlingMs));
}

/** Pauses are faults too, and a wish moves things: the time counts from the end of the last. Returns how long that took. */
async function settled(world: SimWorld): Promise<number> {
  const from = world.schedule.now();
  const isUnsettled = (): boolean =>
    world.store.isDown() ||
    hasWishes(world) ||
    world.supervisors.some((node) => node.life()?.draining() === true) ||
    [
      ...world.gateways.map((node) => node.process()),
      ...world.supervisors.map((node) => node.life()?.process),
      ...world.readers.map((node) => node.life()?.process),
      ...world.boundaries.all().map((node) => node.life()?.process),
    ].some((process) => process !== undefined && !process.awake());
  while (isUnsettled() && world.court.violations.length === 0) await world.run(100);
  return world.schedule.now() - from;
}

function livingOwner(world: SimWorld, spec: SandboxSpec): MemberId | undefined {
  const sandboxId = world.operator.idOf(spec);
  const owner = sandboxId === undefined ? undefined : world.truth.world.owners.get(sandboxId)?.value;
  return owner?.kind === 'owned' && isAlive(world, owner.by) ? owner.by : undefined;
}

const isAlive = (world: SimWorld, memberId: MemberId): boolean =>
  world.supervisors.some((node) => node.life()?.memberId === memberId && node.life()?.draining() === false);

function expectPublished(
  world: SimWorld,
  spec: SandboxSpec,
  rule: Parameters<SimWorld['court']['broken']>[0],
  withinMs: number,
): void {
  const sandboxId = world.operator.idOf(spec);
  for (const node of world.readers) {
    const life = node.life();
    world.court.looked(rule);
    if (life === undefined || sandboxId === undefined || !spec.published) continue;
    if (!world.publications.shows(life, sandboxId))
      world.court.broken(rule, `${life.process.name} does not show ${spec.sandbox} ${withinMs / 1_000} s after the faults`);
  }
}
