import { FATE, type Fault, type Strike, say, seconds, span } from './strike.ts';

/** A supervisor dies and is another member when it comes back; a gateway or a reader likewise. */
function crash(strike: Strike): void {
  const { world, random, isActive } = strike;
  const downMs = span(random, 300, 40_000);
  const kind = random.float();
  if (kind < 0.45) {
    const node = random.pick(world.supervisors);
    if (node.life() === undefined) return;
    say(strike, `kills ${node.life()?.process.name} for ${seconds(downMs)}`);
    world.coverage['members lost'] += 1;
    node.crash();
    world.schedule.after(downMs, FATE, () => isActive() && world.startSupervisor(node));
  } else if (kind < 0.85) {
    const node = random.pick(world.gateways);
    if (node.process() === undefined) return;
    say(strike, `kills ${node.process()?.name} for ${seconds(downMs)}`);
    world.coverage['gateways lost'] += 1;
    node.crash();
    world.schedule.after(downMs, FATE, () => isActive() && node.start());
  } else if (kind < 0.93) {
    const all = world.boundaries.all();
    if (all.length === 0) return;
    const node = random.pick(all);
    say(strike, `kills ${node.life()?.process.name}`);
    world.coverage['boundaries lost'] += 1;
    node.crash();
    world.schedule.after(Math.min(downMs, 5_000), FATE, () => node.start());
  } else {
    const node = random.pick([...world.readers, ...world.consumers]);
    node.crash();
    world.schedule.after(downMs, FATE, () => isActive() && node.start());
  }
}

function stopGateway(strike: Strike): void {
  const { world, random, isActive } = strike;
  const node = random.pick(world.gateways);
  if (node.life() === undefined) return;
  say(strike, `stops ${node.process()?.name} in good order`);
  node.stop();
  world.schedule.after(span(random, 1_500, 20_000), FATE, () => isActive() && node.start());
}

function drain(strike: Strike): void {
  const { world, random, isActive } = strike;
  const node = random.pick(world.supervisors);
  if (node.life() === undefined) return;
  say(strike, `drains ${node.life()?.process.name}`);
  world.coverage['members drained'] += 1;
  // Whoever drained it starts another in its place, also when all is calm by then.
  node.drain(() => {
    world.schedule.after(isActive() ? span(random, 300, 10_000) : 0, FATE, () => world.startSupervisor(node));
  });
}

export const endings: readonly Fault[] = [
  { name: 'crash', strike: crash },
  { name: 'crash', strike: crash },
  { name: 'gateway stopped', strike: stopGateway },
  { name: 'drain', strike: drain },
];
