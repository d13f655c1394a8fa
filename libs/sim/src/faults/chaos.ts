import type { Random } from '../random.ts';
import type { SimWorld } from '../world.ts';
import { endings } from './endings.ts';
import { links } from './links.ts';
import { standstills } from './standstills.ts';
import { storeTroubles } from './store-troubles.ts';
import type { Fault } from './strike.ts';
import { wishes } from './wishes.ts';

/** Lets things go wrong, one after the other and several at once, until told to stop; then all is mended. */
export interface Chaos {
  begin(): void;
  /** From now on nothing new goes wrong, and all that did is over. */
  end(): void;
}

/** One that is named twice is twice as likely. */
const FAULTS: readonly Fault[] = [...standstills, ...endings, ...links, ...storeTroubles, ...wishes];
/** Mean time between two faults. */
const EVERY_MS = { min: 1_500, max: 9_000 };

export function createChaos(world: SimWorld, random: Random): Chaos {
  // Not all kinds in each world: a few at a time reach deeper than everything at once.
  const kinds = FAULTS.filter(() => random.chance(0.7));
  const everyMs = random.between(EVERY_MS.min, EVERY_MS.max);
  let active = false;
  let era = 0;
  const who = { who: 'fate', does: 'strikes' };

  function plan(): void {
    const mine = era;
    world.schedule.after(-Math.log(1 - random.float()) * everyMs, who, () => {
      if (!active || mine !== era) return;
      const kind: Fault | undefined = kinds.length === 0 ? undefined : random.pick(kinds);
      kind?.strike({ world, random, isActive: () => active && mine === era });
      plan();
    });
  }

  return {
    begin() {
      active = true;
      era += 1;
      roughen(world, random, true);
      plan();
    },
    end() {
      active = false;
      era += 1;
      world.network.heal();
      roughen(world, random, false);
      world.pods.up = true;
      world.coverage['calm periods'] += 1;
      world.transcript.say('story', 'fate', 'rests: all is mended');
      for (const node of world.gateways) node.start();
      for (const node of world.readers) node.start();
      for (const node of world.consumers) node.start();
      for (const node of world.boundaries.all()) node.start();
      for (const node of world.supervisors) world.startSupervisor(node);
    },
  };
}

/** What goes wrong with single operations of the store and with single calls, all the time. */
function roughen({ store, network }: SimWorld, random: Random, rough: boolean): void {
  const level = rough ? random.float() : 0;
  network.repeats = 0.03 * level;
  Object.assign(store.faults, {
    requestLost: 0.02 * level,
    answerLost: 0.02 * level,
    late: 0.01 * level,
    staleRead: rough ? 0.05 : 0,
    watchLag: 0.02 * level,
    watchLagMs: 4_000,
    leaseExtraMs: rough ? 4_000 : 0,
  });
}
