import type { Random } from '../random.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { SimWorld } from '../world.ts';

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

export const FATE = { who: 'fate', does: 'mends' };

export const say = ({ world }: Strike, what: string): void => world.transcript.say('story', 'fate', what);

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Short ones are more common than long ones. */
export const span = (random: Random, min: number, max: number): number => min * (max / min) ** random.float();

export const processesOf = (world: SimWorld): readonly SimProcess[] => [
  ...world.gateways.flatMap((node) => node.process() ?? []),
  ...world.supervisors.flatMap((node) => node.life()?.process ?? []),
  ...world.readers.flatMap((node) => node.life()?.process ?? []),
  ...world.consumers.flatMap((node) => node.life()?.process ?? []),
  ...world.boundaries.all().flatMap((node) => node.life()?.process ?? []),
];
