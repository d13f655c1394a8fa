import type { Random } from '../random.ts';
import type { SimWorld } from '../world.ts';
import { processesOf } from './chaos.ts';
import { wishes } from './wishes.ts';

/** One kind of thing that goes wrong (or is merely asked for at a bad time). */
export interface Fault {
  readonly name: string;
  strike(given: Strike): void;
}

export interface Strike {
  readonly world: SimWorld;
  readonly random: Random;
  /** Whether things may still go wrong: what was planned for later asks again. */
  readonly isActive: () => boolean;
}

const who = { who: 'fate', does: 'mends' };
const PAUSE_MS = { min: 100, max: 40_000 };
const say = ({ world }: Strike, what: string): void => world.transcript.say('story', 'fate', what);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
/** Short ones are more common than long ones. */
const span = (random: Random, min: number, max: number): number => min * (max / min) ** random.float();

function pause(strike: Strike): void {
  const { world, random } = strike;
  const process = random.pick(processesOf(world));
  const ms = span(random, PAUSE_MS.min, PAUSE_MS.max);
  if (process === undefined || !process.awake()) return;
  say(strike, `pauses ${process.name} for ${seconds(ms)}`);
  world.coverage.pauses += 1;
  process.pause(ms);
}

function suspend(strike: Strike): void {
  const { world, random } = strike;
  const process = random.pick(processesOf(world));
  const ms = span(random, 1_000, PAUSE_MS.max);
  if (process === undefined || !process.awake()) return;
  say(strike, `suspends the machine of ${process.name} for ${seconds(ms)}`);
  world.coverage.suspensions += 1;
  process.suspend(ms);
}

function setWall(strike: Strike): void {
  const { world, random } = strike;
  const process = random.pick(processesOf(world));
  if (process === undefined) return;
  const ms = span(random, 50, 60_000) * (random.chance(0.5) ? 1 : -1);
  say(strike, `sets the wall clock of ${process.name} by ${seconds(ms)}`);
  world.coverage['wall clocks set'] += 1;
  process.setWall(ms);
}

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
    world.schedule.after(downMs, who, () => isActive() && world.startSupervisor(node));
  } else if (kind < 0.85) {
    const node = random.pick(world.gateways);
    if (node.process() === undefined) return;
    say(strike, `kills ${node.process()?.name} for ${seconds(downMs)}`);
    world.coverage['gateways lost'] += 1;
    node.crash();
    world.schedule.after(downMs, who, () => isActive() && node.start());
  } else {
    const node = random.pick(world.readers);
    node.crash();
    world.schedule.after(downMs, who, () => isActive() && node.start());
  }
}

function stopGateway(strike: Strike): void {
  const { world, random, isActive } = strike;
  const node = random.pick(world.gateways);
  if (node.life() === undefined) return;
  say(strike, `stops ${node.process()?.name} in good order`);
  node.stop();
  world.schedule.after(span(random, 1_500, 20_000), who, () => isActive() && node.start());
}

function drain(strike: Strike): void {
  const { world, random, isActive } = strike;
  const node = random.pick(world.supervisors);
  if (node.life() === undefined) return;
  say(strike, `drains ${node.life()?.process.name}`);
  world.coverage['members drained'] += 1;
  node.drain(() => world.schedule.after(span(random, 300, 10_000), who, () => isActive() && world.startSupervisor(node)));
}

/** Between any two places, or one place and everybody; in one direction or both. */
function partition(strike: Strike): void {
  const { world, random } = strike;
  const places = ['store', ...[...world.gateways, ...world.supervisors, ...world.readers].map(({ place }) => place)];
  const one = random.pick(places);
  const others = random.chance(0.3) ? places.filter((place) => place !== one) : [random.pick(places.filter((place) => place !== one))];
  const way = random.pick(['both', 'to', 'from'] as const);
  const ms = span(random, 500, 60_000);
  const arrow = { both: '↔', to: '←', from: '→' }[way];
  say(strike, `cuts ${one} ${arrow} ${others.join(', ')} for ${seconds(ms)}`);
  world.coverage.partitions += 1;
  for (const other of others) {
    if (way !== 'to') world.network.block(one, other);
    if (way !== 'from') world.network.block(other, one);
  }
  world.schedule.after(ms, who, () => {
    for (const other of others) {
      if (way !== 'to') world.network.unblock(one, other);
      if (way !== 'from') world.network.unblock(other, one);
    }
  });
}

function slow(strike: Strike): void {
  const { world, random } = strike;
  const places = ['store', ...[...world.gateways, ...world.supervisors].map(({ place }) => place)];
  const [from, to] = [random.pick(places), random.pick(places)];
  const [upTo, ms] = [span(random, 100, 20_000), span(random, 1_000, 30_000)];
  say(strike, `slows ${from} → ${to} by up to ${seconds(upTo)} for ${seconds(ms)}`);
  world.network.slow(from, to, upTo);
  world.schedule.after(ms, who, () => world.network.slow(from, to, 0));
}

function reset(strike: Strike): void {
  const { world, random } = strike;
  const [gateway, member] = [random.pick(world.gateways), random.pick(world.supervisors)];
  say(strike, `resets the connections of ${member.place} to ${gateway.place}`);
  world.connections.cut(gateway.place, member.place);
}

function storeOutage(strike: Strike): void {
  const { world, random } = strike;
  const ms = span(random, 500, 60_000);
  say(strike, `stops the store for ${seconds(ms)}`);
  world.coverage['store outages'] += 1;
  world.store.stop(ms);
}

function leader(strike: Strike): void {
  const { world, random } = strike;
  say(strike, 'makes the store elect another leader');
  world.coverage['leaders changed'] += 1;
  world.store.changeLeader(span(random, 100, 3_000));
}

function compact(strike: Strike): void {
  say(strike, 'compacts the history of the store');
  strike.world.store.compact();
}

function driverAway(strike: Strike): void {
  const { world, random } = strike;
  world.pods.up = false;
  world.schedule.after(span(random, 500, 25_000), who, () => {
    world.pods.up = true;
  });
}

export const FAULTS: readonly Fault[] = [
  { name: 'pause', strike: pause },
  { name: 'pause', strike: pause },
  { name: 'suspend', strike: suspend },
  { name: 'wall clock', strike: setWall },
  { name: 'crash', strike: crash },
  { name: 'crash', strike: crash },
  { name: 'gateway stopped', strike: stopGateway },
  { name: 'drain', strike: drain },
  { name: 'partition', strike: partition },
  { name: 'partition', strike: partition },
  { name: 'slow link', strike: slow },
  { name: 'reset', strike: reset },
  { name: 'store outage', strike: storeOutage },
  { name: 'leader', strike: leader },
  { name: 'compaction', strike: compact },
  { name: 'driver away', strike: driverAway },
  ...wishes,
];
