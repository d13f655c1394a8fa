import { BOOT_EACH_MS, CLOCK_JUMP_MS } from '@sallyport/model';
import { createClock, type RunningClock } from '@sallyport/process';
import type { Random } from '../random.ts';
import { createMachineClock, type MachineClock } from './machine.ts';
import type { Cancel, Schedule } from './schedule.ts';

/**
 * One process on a machine of its own: its clock, its randomness, and when it gets to run. While it is paused (or its
 * machine suspended) all that is meant for it waits; when it wakes, all comes at once. Once it is dead nothing of it runs.
 */
export interface SimProcess {
  /** `g0.2`: the second life of the first gateway. Begins the ids that it makes. */
  readonly name: string;
  readonly clock: RunningClock;
  readonly random: Random;
  randomId(): string;
  /** By its own wall clock. */
  unixMs(): number;
  /** Lets `act` run in this process: now if it is awake, else when it wakes, else never. Called from within an event. */
  deliver(does: string, act: () => void): void;
  alive(): boolean;
  /** Neither paused nor suspended. */
  awake(): boolean;
  suspended(): boolean;
  /** Its machine has just slept, and its wall clock was set back by just that: it cannot know yet (model, BOOT_EACH_MS). */
  isFooled(): boolean;
  /** True time since which it has been frozen. */
  frozenAt(): number | undefined;
  /** SIGSTOP for so long: its clocks go on. */
  pause(ms: number): void;
  /** The whole machine for so long: its monotonic clock stands still, its wall clock goes on. */
  suspend(ms: number): void;
  /** Somebody sets its wall clock: also from outside, while its machine is suspended. */
  setWall(byMs: number): void;
  /** `in order`: whoever it talked with hears of it. */
  kill(how?: HowKilled): void;
  onKill(act: (how: HowKilled) => void): void;
}

export type HowKilled = 'in order' | 'suddenly';

export interface SimProcessOptions {
  readonly name: string;
  readonly schedule: Schedule;
  readonly random: Random;
  readonly rate: number;
  /** What the wall clock says at true time 0. */
  readonly wallOriginMs: number;
}

interface Waiting {
  readonly kind: 'timer' | 'message';
  readonly does: string;
  readonly act: () => void;
}

export function createSimProcess({ name, schedule, random, rate, wallOriginMs }: SimProcessOptions): SimProcess {
  const machine: MachineClock = createMachineClock({ rate, wallOriginMs, monotonicOriginMs: random.between(0, 1e6) });
  const endings: ((how: HowKilled) => void)[] = [];
  let waiting: Waiting[] = [];
  let frozen: { readonly kind: 'paused' | 'suspended'; readonly at: number; cancel: Cancel } | undefined;
  let dead = false;
  let setAsleepMs = 0;
  let fooledUntil = 0;
  let idCount = 0;

  function deliver(kind: Waiting['kind'], does: string, act: () => void): void {
    if (dead) return;
    if (frozen === undefined && waiting.length === 0) act();
    else waiting.push({ kind, does, act });
  }

  const clock = createClock({
    read: () => machine.read(schedule.now()),
    wake(act, afterMs) {
      let cancelled = false;
      // It may have gone off while the process was frozen: then it waits, and can still be cancelled.
      const ring = (): void => {
        if (!cancelled) act();
      };
      const cancel = schedule.after(afterMs / rate, { who: name, does: 'timer' }, () => deliver('timer', 'timer', ring));
      return () => {
        cancelled = true;
        cancel();
      };
    },
  });

  function freeze(kind: 'paused' | 'suspended', ms: number): void {
    if (dead || frozen !== undefined) return;
    if (kind === 'suspended') machine.suspend(schedule.now());
    frozen = { kind, at: schedule.now(), cancel: schedule.after(ms, { who: name, does: 'wakes' }, wake) };
  }

  /** Whether timers or sockets come first after a stall differs between runs of the real thing: so it does here. */
  function wake(): void {
    machine.resume(schedule.now());
    if (frozen?.kind === 'suspended' && setAsleepMs !== 0) {
      const sleptMs = schedule.now() - frozen.at;
      if (Math.abs(rate * sleptMs + setAsleepMs) <= 2 * CLOCK_JUMP_MS) fooledUntil = schedule.now() + BOOT_EACH_MS / rate + 1;
    }
    setAsleepMs = 0;
    frozen = undefined;
    const timers = waiting.filter(({ kind }) => kind === 'timer');
    const messages = waiting.filter(({ kind }) => kind === 'message');
    waiting = random.chance(0.5) ? [...timers, ...messages] : [...messages, ...timers];
    next();
  }

  /** One after the other, each an event of its own; what arrives meanwhile waits behind. */
  function next(): void {
    const first = waiting[0];
    if (first === undefined) return;
    schedule.after(0, { who: name, does: first.does }, () => {
      if (dead || frozen !== undefined) return;
      waiting.shift();
      first.act();
      next();
    });
  }

  return {
    name,
    clock,
    random,
    randomId: () => idOf(name, ++idCount),
    unixMs: () => machine.read(schedule.now()).wallMs,
    deliver: (does, act) => deliver('message', does, act),
    alive: () => !dead,
    awake: () => !dead && frozen === undefined,
    suspended: () => frozen?.kind === 'suspended',
    isFooled: () => schedule.now() < fooledUntil,
    frozenAt: () => frozen?.at,
    pause: (ms) => freeze('paused', ms),
    suspend: (ms) => freeze('suspended', ms),
    setWall(byMs) {
      if (dead) return;
      machine.setWall(byMs);
      if (frozen?.kind === 'suspended') setAsleepMs += byMs;
    },
    kill(how = 'suddenly') {
      if (dead) return;
      dead = true;
      frozen?.cancel();
      waiting = [];
      clock.stop();
      for (const act of endings) act(how);
    },
    onKill: (act) => void endings.push(act),
  };
}

/** As production's ids and nonces: 128 bits in base64url. `g0-1-00000000000000017A` is `g0.1-17` to people. */
function idOf(name: string, count: number): string {
  const prefix = `${name.replace('.', '-')}-`;
  return `${prefix}${String(count).padStart(ID_LENGTH - 1 - prefix.length, '0')}A`;
}

const ID_LENGTH = 22;

export const shortIds = (text: string): string => text.replaceAll(/\b([a-z]+\d*)-(\d+)-0*(\d+)A\b/g, '$1.$2-$3');
