// A process that judges mutants, one at a time, as it is told by its parent.

import type { Mutant } from '../mutant.ts';
import type { Killer, Outcome } from '../outcome.ts';
import { PLACES } from '../places.ts';
import type { Job } from './farm.ts';
import { runSeeds } from './seeds.ts';
import { openTests } from './tests.ts';

const tests = await openTests();

process.on('message', (job: Job) => void judge(job).then((outcome) => process.send?.(outcome)));
process.on('disconnect', () => void tests.close().finally(() => process.exit()));
process.send?.('ready');

/** Whole histories as text: what a seed may never come to, a scenario goes through on purpose. */
const HISTORIES = ['libs/sim/src/golden.test.ts'];

/** Who is known to see it first, then what takes longer and longer: the tests beside the code, whole histories, seeds. */
async function judge({ mutant, hint, seeds, minutes }: Job): Promise<Outcome> {
  const again = hint === undefined ? undefined : await askAgain(mutant, hint, minutes);
  if (again?.kind === 'killed') return again;
  const found: Outcome[] = [];
  for (const ask of [
    () => tests.run(mutant, testsOf(mutant)),
    () => tests.run(mutant, HISTORIES),
    () => runSeeds({ mutant, seeds, minutes }),
  ]) {
    const outcome = await ask();
    if (outcome.kind === 'killed') return outcome;
    found.push(outcome);
  }
  return found.find(({ kind }) => kind !== 'survived') ?? { kind: 'survived' };
}

function askAgain(mutant: Mutant, hint: Killer, minutes: number): Promise<Outcome> {
  if (hint.kind === 'seed') return runSeeds({ mutant, seeds: [hint.seed], minutes });
  const [file = ''] = hint.name.split(' > ');
  return tests.run(mutant, [file], hint.name);
}

function testsOf({ edits }: Mutant): readonly string[] {
  const files = new Set(edits.map(({ file }) => file));
  return [...new Set(PLACES.filter(({ file }) => files.has(file)).flatMap((place) => place.tests))].sort();
}
