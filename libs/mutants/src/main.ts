// `npm run mutants`: takes every rule out in turn and asks whether anybody notices.
import { collectMutants } from './collect.ts';
import { type Options, readOptions, USAGE } from './command/options.ts';
import { closing, lineOf } from './command/report.ts';
import { type Ledger, readLedger, writeLedger } from './ledger.ts';
import type { Mutant } from './mutant.ts';
import { nameOf, type Outcome, parseKiller } from './outcome.ts';
import { farm } from './run/farm.ts';
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
  if (found.length > 0) console.log('run `npm run mutants -- --write`, and see that each is killed');
  return found.length > 0 ? 1 : 0;
}

async function run({ only, workers, seeds, minutes, write, list }: Options): Promise<number> {
  const startedAt = performance.now();
  const wanted = collectMutants().filter(({ id }) => only === undefined || id.includes(only));
  const mutants = wanted.filter(({ id }) => spared[id] === undefined);
  if (list) {
    for (const { id, removes } of mutants) console.log(`${id}  ${removes}`);
    return 0;
  }
  const ledger = readLedger();
  const outcomes = new Map<Mutant, Outcome>();
  const jobs = mutants.map((mutant) => ({
    mutant,
    hint: ledger[mutant.id] === undefined ? undefined : parseKiller(ledger[mutant.id] as string),
    seeds: Array.from({ length: seeds }, (_, index) => index + 1),
    minutes,
  }));
  await farm(jobs, workers, (mutant, outcome) => {
    outcomes.set(mutant, outcome);
    console.log(lineOf(mutant, outcome));
  });
  if (write) writeLedger(kept(ledger, wanted, outcomes, only !== undefined));
  console.log(closing([...outcomes], wanted.length - mutants.length, (performance.now() - startedAt) / 1_000));
  return [...outcomes.values()].every(({ kind }) => kind === 'killed') ? 0 : 1;
}

/** Of a part, the rest stays as it was written. */
function kept(ledger: Ledger, wanted: readonly Mutant[], outcomes: ReadonlyMap<Mutant, Outcome>, isPart: boolean): Ledger {
  const killed = [...outcomes].flatMap(([{ id }, outcome]) =>
    outcome.kind === 'killed' ? [[id, nameOf(outcome.by)] as const] : [],
  );
  const others = isPart ? Object.entries(ledger).filter(([id]) => !wanted.some((each) => each.id === id)) : [];
  return Object.fromEntries([...others, ...killed]);
}
