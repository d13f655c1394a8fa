// A process that judges mutants, one at a time, as it is told by its parent.

import type { Outcome } from '../outcome.ts';
import { PLACES } from '../places.ts';
import type { Job } from './farm.ts';
import { runSeeds } from './seeds.ts';
import { openTests } from './tests.ts';

const tests = await openTests();
const known = new Set<string>();

process.on('message', (job: Job) => void judge(job).then((outcome) => process.send?.(outcome)));
process.on('disconnect', () => void tests.close().finally(() => process.exit()));
process.send?.('ready');

/** Tests first: they take a moment. Where a seed is known to see it, that one comes before them. */
async function judge({ mutant, hint, seeds, minutes }: Job): Promise<Outcome> {
  if (hint?.kind === 'seed') {
    const again = await runSeeds({ mutant, seeds: [hint.seed], minutes });
    if (again.kind === 'killed') return again;
  }
  const files = new Set(mutant.edits.map(({ file }) => file));
  const filters = [...new Set(PLACES.filter(({ file }) => files.has(file)).flatMap((place) => place.tests))].sort();
  const key = filters.join(' ');
  if (filters.length > 0 && !known.has(key)) {
    known.add(key);
    await tests.run(undefined, filters);
  }
  const tested: Outcome = filters.length === 0 ? { kind: 'survived' } : await tests.run(mutant, filters);
  if (tested.kind === 'killed') return tested;
  const simulated = await runSeeds({ mutant, seeds, minutes });
  return simulated.kind === 'survived' ? tested : simulated;
}
