import type { Looked } from '@sallyport/states';
import type { Mutant } from '../mutant.ts';
import { nameOf, type Outcome } from '../outcome.ts';

/** One mutant as people read it: what was taken out, and who noticed. */
export function lineOf({ id, removes }: Mutant, outcome: Outcome): string {
  const what = id.includes(removes.split(' → ')[0] ?? '') ? id : `${id}: ${removes}`;
  switch (outcome.kind) {
    case 'killed':
      return `killed    ${what}\n          by ${nameOf(outcome.by)}`;
    case 'survived':
      return `SURVIVED  ${what}`;
    case 'crashed':
      return `CRASHED   ${what}\n          ${outcome.why.split('\n')[0]}`;
  }
}

/** A survivor is a rule that nobody would miss, and a crash shows nothing: both fail the run. */
export const allKilled = (outcomes: Iterable<Outcome>): boolean => [...outcomes].every(({ kind }) => kind === 'killed');

/** The survivors once more, and the sums. */
export function closing(outcomes: readonly (readonly [Mutant, Outcome])[], sparedCount: number, seconds: number): string {
  const of = (kind: Outcome['kind']) => outcomes.filter(([, outcome]) => outcome.kind === kind);
  const bySeed = of('killed').filter(([, outcome]) => outcome.kind === 'killed' && outcome.by.kind === 'seed');
  const left = [...of('survived'), ...of('crashed')].map(([mutant, outcome]) => lineOf(mutant, outcome));
  const counts = `${of('killed').length} killed (${bySeed.length} by a seed), ${of('survived').length} survived, ${of('crashed').length} only crashed`;
  return [
    ...(left.length > 0 ? ['', 'not killed:', ...left] : []),
    '',
    `${outcomes.length} mutants: ${counts}; ${sparedCount} spared; ${seconds.toFixed(0)} s`,
  ].join('\n');
}

/** One small world of which every order of events was tried. */
export function statesLine({ world, states, steps, depth, ended, broken }: Looked): string {
  const bound = ended === 'all' ? 'all that there are' : `every order of ${depth} events`;
  const way =
    broken === undefined ? [] : [`  breaks ${JSON.stringify(broken.rule)}:`, ...broken.way.map((name) => `    ${name}`)];
  return [`states    ${world}: ${states} states, ${steps} steps, ${bound}`, ...way].join('\n');
}
