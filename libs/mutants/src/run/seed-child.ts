// A process that runs the simulation under one mutant and says what came of it.

import type { Outcome } from '../outcome.ts';
import { loadMutated } from './load-mutated.ts';
import type { SeedJob } from './seeds.ts';

/** What the invariant of the simulation says when something threw: no word about the rule that was taken out. */
const THROWN = 'nothing throws';

process.on('message', (job: SeedJob) => void run(job).then((outcome) => process.send?.(outcome)));
process.on('disconnect', () => process.exit());

async function run({ mutant, seeds, minutes }: SeedJob): Promise<Outcome> {
  loadMutated(mutant.edits);
  // Only now, so that all of it passes the hook.
  const { runSeed } = await import('@sallyport/sim');
  let crashed: Outcome | undefined;
  for (const seed of seeds) {
    const [first] = (await runSeed({ seed, minutes })).violations;
    if (first === undefined) continue;
    if (first.rule !== THROWN) return { kind: 'killed', by: { kind: 'seed', seed, rule: first.rule } };
    crashed ??= { kind: 'crashed', why: `seed ${seed}: ${first.detail.split('\n')[0]}` };
  }
  return crashed ?? { kind: 'survived' };
}
