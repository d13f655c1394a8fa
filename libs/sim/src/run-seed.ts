import { addCoverage, type Coverage, createCoverage } from './coverage.ts';
import { createChaos } from './faults/chaos.ts';
import { awaitPublication } from './liveness.ts';
import { createRandom } from './random.ts';
import { drawShape } from './shape.ts';
import type { Level } from './transcript.ts';
import type { Evaluations, Violation } from './truth/violations.ts';
import { createSimWorld } from './world.ts';

/** What one seed came to. The same seed comes to the same, always. */
export interface SeedResult {
  readonly seed: number;
  readonly virtualMs: number;
  readonly eventCount: number;
  /** The same for the same history, whether or not anybody reads along. */
  readonly digest: string;
  readonly evaluations: Evaluations;
  readonly coverage: Coverage;
  readonly violations: readonly Violation[];
  readonly transcript: readonly string[];
}

export interface SeedOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly reads?: 'nothing' | Level;
  readonly guardsOff?: boolean;
}

const MINUTE_MS = 60_000;
const START_MS = 20_000;
/** Faults for some minutes, then a calm in which everything must come back; and again. */
const ROUGH_MS = { min: MINUTE_MS, max: 5 * MINUTE_MS };
const CALM_MS = 75_000;

export async function runSeed({ seed, minutes, reads = 'nothing', guardsOff = false }: SeedOptions): Promise<SeedResult> {
  const random = createRandom(seed);
  const world = createSimWorld({ shape: drawShape(random.fork('shape')), random, reads });
  world.store.faults.guardsOff = guardsOff;
  const fate = random.fork('fate');
  const chaos = createChaos(world, fate);
  const isOver = (): boolean => world.court.violations.length > 0 || world.schedule.now() >= minutes * MINUTE_MS;
  const stop = catchThrown((error) => world.court.broken('nothing throws', String(error?.stack ?? error)));
  try {
    world.begin();
    await world.run(START_MS);
    while (!isOver()) {
      chaos.begin();
      await world.run(fate.between(ROUGH_MS.min, ROUGH_MS.max));
      chaos.end();
      await awaitPublication(world, CALM_MS);
    }
  } catch (error) {
    world.court.broken('nothing throws', error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    stop();
  }
  const coverage = createCoverage();
  addCoverage(coverage, world.coverage);
  return {
    seed,
    virtualMs: world.schedule.now(),
    eventCount: world.schedule.eventCount(),
    digest: world.schedule.digest(),
    evaluations: { ...world.court.evaluations },
    coverage,
    violations: world.court.violations,
    transcript: world.transcript.lines(),
  };
}

/** What is thrown where nobody waits ends a real process. */
function catchThrown(caught: (error: Error | undefined) => void): () => void {
  const listener = (error: unknown): void => caught(error as Error);
  for (const name of THROWN) process.on(name, listener);
  return () => {
    for (const name of THROWN) process.off(name, listener);
  };
}

const THROWN = ['unhandledRejection', 'uncaughtException'] as const;
