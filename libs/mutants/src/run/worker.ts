// A process that judges mutants, one at a time, as it is told by its parent.

import type { Mutant } from '../mutant.ts';
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

/** Whole histories as text: what a seed may never come to, a scenario goes through on purpose. */
const HISTORIES = ['libs/sim/src/golden.test.ts'];

/** Tests first: they take a moment. Where a seed is known to see it, that one comes before them. */
async function judge({ mutant, hint, seeds, minutes }: Job): Promise<Outcome> {
  if (hint?.kind === 'seed') {
    const again = await runSeeds({ mutant, seeds: [hint.seed], minutes });
    if (again.kind === 'killed') return again;
  }
  const files = new Set(mutant.edits.map(({ file }) => file));
  const filters = [...new Set(PLACES.filter(({ file }) => files.has(file)).flatMap((place) => place.tests))].sort();
  const tested = await test(mutant, filters);
  if (tested.kind === 'killed') return tested;
  const simulated = await runSeeds({ mutant, seeds, minutes });
  if (simulated.kind === 'killed') return simulated;
  const told = await test(mutant, HISTORIES);
  return [told, simulated, tested].find(({ kind }) => kind !== 'survived') ?? told;
}

async function test(mutant: Mutant, filters: readonly string[]): Promise<Outcome> {
  if (filters.length === 0) return { kind: 'survived' };
  const key = filters.join(' ');
  // Without a mutant first: who fails then says nothing later.
  if (!known.has(key)) await tests.run(undefined, filters);
  known.add(key);
  return tests.run(mutant, filters);
}
