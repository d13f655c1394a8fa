// `npm run mutants`: takes every rule out in turn and asks whether anybody notices.
import { collectMutants } from './collect.ts';
import { type Options, readOptions, USAGE } from './command/options.ts';
import { allKilled, closing, lineOf, statesLine } from './command/report.ts';
import { killerOf, type Ledger, readLedger, UNKILLED, writeLedger } from './ledger.ts';
import type { Mutant } from './mutant.ts';
import { nameOf, type Outcome } from './outcome.ts';
import { farm } from './run/farm.ts';
import { lookAtStates } from './run/states.ts';
import { spared } from './spared.ts';
import { troubles } from './troubles.ts';

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n${USAGE}`);
  process.exitCode = 64;
} else {
  process.exitCode = options.check ? check() : await run(options);
}

function check(): number {
  const found = troubles();
  for (const each of found) console.log(each);
  console.log(`${Object.keys(readLedger()).length} mutants, ${Object.keys(spared).length} spared`);
  if (found.length > 0) console.log('run `npm run mutants -- --write`, and see that each is killed');
  return found.length > 0 ? 1 : 0;
}

async function run({ only, left, workers, seeds, minutes, write, list }: Options): Promise<number> {
  const startedAt = performance.now();
  const ledger = readLedger();
  const all = collectMutants();
  const wanted = all.filter(
    ({ id }) => (only === undefined || id.includes(only)) && (!left || killerOf(ledger, id) === undefined),
  );
  const mutants = wanted.filter(({ id }) => spared[id] === undefined);
  if (list) {
    for (const { id, removes } of mutants) console.log(`${id}  ${removes}`);
    return 0;
  }
  const states = wanted.length === all.length ? lookAtStates((looked) => console.log(statesLine(looked))) : Promise.resolve(true);
  const outcomes = new Map<Mutant, Outcome>();
  const jobs = mutants.map((mutant) => ({
    mutant,
    hint: killerOf(ledger, mutant.id),
    seeds: Array.from({ length: seeds }, (_, index) => index + 1),
    minutes,
  }));
  await farm(jobs, workers, (mutant, outcome) => {
    outcomes.set(mutant, outcome);
    console.log(lineOf(mutant, outcome));
    // At once: a run of many minutes that is ended by somebody has not been for nothing.
    if (write) writeLedger(kept(readLedger(), outcomes));
  });
  const holds = await states;
  console.log(closing([...outcomes], wanted.length - mutants.length, (performance.now() - startedAt) / 1_000));
  return holds && allKilled(outcomes.values()) ? 0 : 1;
}

/** What was judged is as it was judged; of what is no longer there nothing is kept. */
function kept(ledger: Ledger, outcomes: ReadonlyMap<Mutant, Outcome>): Ledger {
  const all = new Set(collectMutants().map(({ id }) => id));
  const judged = new Map(
    [...outcomes].map(([{ id }, outcome]) => [id, outcome.kind === 'killed' ? nameOf(outcome.by) : UNKILLED]),
  );
  const lines = [...Object.entries(ledger).filter(([id]) => !judged.has(id)), ...judged];
  return Object.fromEntries(lines.filter(([id]) => all.has(id) && spared[id] === undefined));
}
