import { globSync } from 'node:fs';
import { collectMutants, sourceOf } from './collect.ts';
import { type Ledger, readLedger, UNJUDGED, UNKILLED } from './ledger.ts';
import type { Mutant } from './mutant.ts';
import { PLACES } from './places.ts';
import { ROOT } from './root.ts';
import { TRACES } from './rows/traces.ts';
import { guardsOf } from './scan/guards.ts';
import { spared } from './spared.ts';
import { unkilled } from './unkilled.ts';

/** Durations that safety rests on: each is a margin, and has a mutant. */
export const TIMERS = 'libs/authority/src/timers.ts';

export interface Listed {
  readonly mutants: readonly Pick<Mutant, 'id' | 'traces'>[];
  readonly ledger: Ledger;
  readonly spared: Readonly<Record<string, string>>;
  readonly unkilled: readonly string[];
  /** Names of the durations that there are. */
  readonly durations: readonly string[];
  readonly traces: readonly string[];
  /** Files that no place names, and what guards they hold. */
  readonly elsewhere: readonly { readonly file: string; readonly guards: number }[];
}

/** Why the list of mutants is not whole; nothing of it is judged here. */
export function troublesOf({ mutants, ledger, spared, unkilled, durations, traces, elsewhere }: Listed): readonly string[] {
  const ids = new Set(mutants.map(({ id }) => id));
  const isLooked = (id: string): boolean => ledger[id] !== undefined || spared[id] !== undefined;
  const named = new Set(mutants.flatMap((mutant) => mutant.traces));
  return [
    ...mutants.filter(({ id }, index) => mutants.findIndex((each) => each.id === id) !== index).map(({ id }) => `twice: ${id}`),
    ...mutants.filter(({ id }) => !isLooked(id)).map(({ id }) => `a guard that nobody has tried without: ${id}`),
    ...Object.entries(ledger)
      .filter(([id, line]) => (line === UNKILLED || line === UNJUDGED) && !unkilled.includes(id))
      .map(([id, line]) => `${line}: ${id}`),
    ...unkilled.filter((id) => ledger[id] !== UNKILLED && ledger[id] !== UNJUDGED).map((id) => `said to live, but killed: ${id}`),
    ...Object.keys(ledger)
      .filter((id) => !ids.has(id))
      .map((id) => `killed, but no longer there: ${id}`),
    ...Object.keys(spared)
      .filter((id) => !ids.has(id))
      .map((id) => `spared, but no longer there: ${id}`),
    ...Object.keys(spared)
      .filter((id) => ledger[id] !== undefined)
      .map((id) => `spared, and killed all the same: ${id}`),
    ...durations.filter((name) => !ids.has(`margin ${name}`)).map((name) => `a duration without a mutant: ${name}`),
    ...traces.filter((trace) => !named.has(trace)).map((trace) => `an execution that no mutant brings back: ${trace}`),
    ...elsewhere.map(({ file, guards }) => `${guards} guards of transactions in a file that is no place of guards: ${file}`),
  ];
}

export function troubles(): readonly string[] {
  try {
    const mutants = collectMutants();
    const code = { mutants, durations: durations(), traces: TRACES, elsewhere: elsewhere() };
    return troublesOf({ ...code, ledger: readLedger(), spared, unkilled });
  } catch (error) {
    return [(error as Error).message];
  }
}

const durations = (): readonly string[] =>
  [...sourceOf(TIMERS).matchAll(/^export const (\w+) = [\d._]+;/gm)].map(([, name]) => name as string);

function elsewhere(): Listed['elsewhere'] {
  const known = new Set(PLACES.map(({ file }) => file));
  const product = globSync('{apps/{gateway,discovery},libs/{authority,session,catalog,store,view}}/src/**/*.ts', { cwd: ROOT });
  return product
    .filter((file) => !known.has(file) && !/\.test\.ts$|\/testing\//.test(file))
    .filter((file) => /is: '(absent|unmoved-since|created-at)'/.test(sourceOf(file)))
    .map((file) => ({
      file,
      guards: guardsOf(file, sourceOf(file), 'store').filter(({ becomes }) => /taken-out/.test(becomes)).length,
    }))
    .filter(({ guards }) => guards > 0);
}
