import type { SandboxSpec } from '../nodes/operator.ts';
import type { SimWorld } from '../world.ts';
import type { Fault, Strike } from './strike.ts';

/** What people ask for is no fault; but it comes when it comes. One wish at a time for each sandbox. */
const busy = new WeakMap<SimWorld, Set<SandboxSpec>>();

export const hasWishes = (world: SimWorld): boolean => (busy.get(world)?.size ?? 0) > 0;

function wish({ world, random }: Strike, act: (spec: SandboxSpec) => Promise<void>): void {
  const under = busy.get(world) ?? new Set<SandboxSpec>();
  busy.set(world, under);
  const free = world.sandboxes.filter((spec) => !under.has(spec) && world.operator.idOf(spec) !== undefined);
  if (free.length === 0) return;
  const spec = random.pick(free);
  under.add(spec);
  void act(spec).finally(() => under.delete(spec));
}

const configure = (strike: Strike): void =>
  wish(strike, async (spec) => {
    const { world, random } = strike;
    world.coverage['configurations changed'] += 1;
    if (random.chance(0.5)) await world.operator.expose(spec, 'api', random.int(9_000, 9_005));
    else await world.operator.withdraw(spec, 'api');
  });

const bump = (strike: Strike): void =>
  wish(strike, async (spec) => {
    strike.world.coverage['credentials bumped'] += 1;
    await strike.world.operator.bumpCredential(spec);
    if (spec.mode === 'dedicated') strike.world.reissue(spec);
  });

const remake = (strike: Strike): void =>
  wish(strike, async (spec) => {
    const { world } = strike;
    world.coverage['sandboxes made again'] += 1;
    await world.operator.remove(spec);
    world.pods.replace(spec.workspace, spec.sandbox);
    await world.operator.register(spec);
    if (spec.mode === 'dedicated') world.reissue(spec);
    await world.operator.expose(spec, 'web', 8_080);
  });

const replace = (strike: Strike): void =>
  wish(strike, async (spec) => {
    strike.world.coverage['runtimes replaced'] += 1;
    await strike.world.operator.replaceRuntime(spec);
  });

/** What those who follow may see becomes less, or is all again. */
function regrant({ world, random }: Strike): void {
  if (world.consumers.length === 0) return;
  const workspaces = [...new Set(world.sandboxes.map(({ workspace }) => workspace))];
  world.coverage['grants changed'] += 1;
  world.operator.grant(random.chance(0.5) ? workspaces : workspaces.filter(() => random.chance(0.5)));
}

export const wishes: readonly Fault[] = [
  { name: 'regrant', strike: regrant },
  { name: 'configure', strike: configure },
  { name: 'configure', strike: configure },
  { name: 'bump credential', strike: bump },
  { name: 'make again', strike: remake },
  { name: 'replace runtime', strike: replace },
];
