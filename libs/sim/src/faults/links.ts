import { FATE, type Fault, type Strike, say, seconds, span } from './strike.ts';

/** Between any two places, or one place and everybody; in one direction or both. */
function partition(strike: Strike): void {
  const { world, random } = strike;
  const nodes = [...world.gateways, ...world.supervisors, ...world.readers, ...world.consumers, ...world.boundaries.all()];
  const places = ['store', ...new Set(nodes.map(({ place }) => place))];
  const one = random.pick(places);
  const others = random.chance(0.3)
    ? places.filter((place) => place !== one)
    : [random.pick(places.filter((place) => place !== one))];
  const way = random.pick(['both', 'to', 'from'] as const);
  const ms = span(random, 500, 60_000);
  const arrow = { both: '↔', to: '←', from: '→' }[way];
  say(strike, `cuts ${one} ${arrow} ${others.join(', ')} for ${seconds(ms)}`);
  world.coverage.partitions += 1;
  for (const other of others) {
    if (way !== 'to') world.network.block(one, other);
    if (way !== 'from') world.network.block(other, one);
  }
  world.schedule.after(ms, FATE, () => {
    for (const other of others) {
      if (way !== 'to') world.network.unblock(one, other);
      if (way !== 'from') world.network.unblock(other, one);
    }
  });
}

function slow(strike: Strike): void {
  const { world, random } = strike;
  const nodes = [...world.gateways, ...world.supervisors, ...world.readers, ...world.consumers, ...world.boundaries.all()];
  const places = ['store', ...new Set(nodes.map(({ place }) => place))];
  // Half of them between a gateway and the store, where what is long in flight decides.
  const [from, to] = random.chance(0.5)
    ? random.pick([[random.pick(world.gateways).place, 'store'], ['store', random.pick(places)], ...followed(strike)])
    : [random.pick(places), random.pick(places)];
  const [upTo, ms] = [span(random, 100, 20_000), span(random, 1_000, 30_000)];
  say(strike, `slows ${from} → ${to} by up to ${seconds(upTo)} for ${seconds(ms)}`);
  if (from === undefined || to === undefined) return;
  world.network.slow(from, to, upTo);
  world.schedule.after(ms, FATE, () => world.network.slow(from, to, 0));
}

/** What a replica of discovery tells those who follow it. */
function followed({ world, random }: Strike): [string, string][] {
  return world.consumers.length === 0 ? [] : [[random.pick(world.readers).place, random.pick(world.consumers).place]];
}

function reset(strike: Strike): void {
  const { world, random } = strike;
  const [gateway, member] = [random.pick(world.gateways), random.pick(world.supervisors)];
  say(strike, `resets the connections of ${member.place} to ${gateway.place}`);
  world.connections.cut(gateway.place, member.place);
}

function driverAway(strike: Strike): void {
  const { world, random } = strike;
  world.pods.up = false;
  world.schedule.after(span(random, 500, 25_000), FATE, () => {
    world.pods.up = true;
  });
}

export const links: readonly Fault[] = [
  { name: 'partition', strike: partition },
  { name: 'partition', strike: partition },
  { name: 'slow link', strike: slow },
  { name: 'reset', strike: reset },
  { name: 'driver away', strike: driverAway },
];
