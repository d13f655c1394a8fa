import { FATE, type Fault, processesOf, type Strike, say, seconds, span } from './strike.ts';

/** A process, or its whole machine, stands still; somebody sets a clock. */
const PAUSE_MS = { min: 100, max: 40_000 };
const OVERTAKEN_MS = { min: 16_000, max: 60_000 };

function pause(strike: Strike): void {
  const { world, random } = strike;
  const process = random.pick(processesOf(world));
  const ms = span(random, PAUSE_MS.min, PAUSE_MS.max);
  if (process === undefined || !process.awake()) return;
  say(strike, `pauses ${process.name} for ${seconds(ms)}`);
  world.coverage.pauses += 1;
  process.pause(ms);
}

/** An owner, for longer than it takes to be overtaken: with a boundary a little after it was missed, else after the wait. */
function pauseOwner(strike: Strike): void {
  const { world, random } = strike;
  const owners = new Set(
    [...world.truth.world.owners.values()].map(({ value }) => (value.kind === 'owned' ? value.by : undefined)),
  );
  const processes = world.supervisors.flatMap((node) => node.life() ?? []).filter(({ memberId }) => owners.has(memberId));
  if (processes.length === 0) return;
  const { process } = random.pick(processes);
  const ms = span(random, OVERTAKEN_MS.min, OVERTAKEN_MS.max);
  if (!process.awake()) return;
  say(strike, `pauses the owner ${process.name} for ${seconds(ms)}`);
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
  if (!random.chance(0.3)) return;
  // Whoever resumes a machine may set its clock: by just what it slept, so that it looks as if it had not, or by anything.
  const byMs = -ms * (random.chance(0.5) ? 1 : random.float());
  world.schedule.after(ms * random.float(), FATE, () => {
    if (!process.suspended()) return;
    say(strike, `sets the wall clock of ${process.name} by ${seconds(byMs)} in its sleep`);
    world.coverage['wall clocks set asleep'] += 1;
    process.setWall(byMs);
  });
}

function setWall(strike: Strike): void {
  const { world, random } = strike;
  // Half of them a gateway's, which counts how long others must be silent.
  const process = random.chance(0.5) ? random.pick(world.gateways).process() : random.pick(processesOf(world));
  if (process === undefined) return;
  const ms = span(random, 50, 60_000) * (random.chance(0.7) ? 1 : -1);
  say(strike, `sets the wall clock of ${process.name} by ${seconds(ms)}`);
  world.coverage['wall clocks set'] += 1;
  process.setWall(ms);
}

export const standstills: readonly Fault[] = [
  { name: 'pause', strike: pause },
  { name: 'pause', strike: pause },
  { name: 'pause of an owner', strike: pauseOwner },
  { name: 'pause of an owner', strike: pauseOwner },
  { name: 'suspend', strike: suspend },
  { name: 'wall clock', strike: setWall },
];
