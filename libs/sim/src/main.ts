// `npm run sim`: many seeds over several processes, or one seed with what happened in it.
import { farm } from './command/farm.ts';
import { type Options, readOptions, USAGE } from './command/options.ts';
import { add, closing, failure, noTotals, shortfalls } from './command/report.ts';
import { runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';

/** More of them say nothing that the first did not. */
const FAILURES_MAX = 5;
const LAST_LINES = 60;
/** Seeds between two words about how far it is. */
const TOLD_EACH = 50;

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n${USAGE}`);
  process.exitCode = 64;
} else {
  process.exitCode = await (options.seed === undefined ? many(options) : one(options.seed, options));
}

/** Exit code 0: what was wanted. Without guards a violation is wanted, and soon. */
async function many({ seeds, from, minutes, workers, guardsOff }: Options): Promise<number> {
  const startedAt = performance.now();
  const totals = noTotals();
  const failures: SeedResult[] = [];
  await farm(jobs(seeds, from, minutes, guardsOff), Math.min(workers, seeds), (result) => {
    add(totals, result);
    if (totals.seeds % TOLD_EACH === 0 && totals.seeds < seeds)
      console.error(`${totals.seeds} of ${seeds} seeds, ${totals.violations} violations`);
    if (result.violations.length === 0) return 'go on';
    failures.push(result);
    print(failure(result, minutes, guardsOff));
    return guardsOff || totals.violations >= FAILURES_MAX ? 'stop' : 'go on';
  });
  const [failed] = failures.sort((a, b) => a.seed - b.seed);
  if (failed !== undefined) await retell(failed, { minutes, guardsOff });
  const missing = guardsOff ? [] : shortfalls(totals);
  print(missing.map((each) => `not covered: ${each}`));
  print(closing(totals, (performance.now() - startedAt) / 1_000));
  if (guardsOff) return failed === undefined ? 1 : 0;
  return totals.violations > 0 || missing.length > 0 ? 1 : 0;
}

async function one(seed: number, { minutes, trace, guardsOff }: Options): Promise<number> {
  const result = await runSeed({ seed, minutes, guardsOff, reads: trace ? 'detail' : 'story' });
  print(result.transcript);
  print(failure(result, minutes, guardsOff));
  const totals = noTotals();
  add(totals, result);
  print(closing(totals, Number.NaN).slice(-1));
  return result.violations.length > 0 ? 1 : 0;
}

/** The end of the story of a seed that failed: the same seed is the same history. */
async function retell({ seed, digest }: SeedResult, options: Pick<SeedOptions, 'minutes' | 'guardsOff'>): Promise<void> {
  const again = await runSeed({ ...options, seed, reads: 'story' });
  const same = again.digest === digest ? 'the same history' : `NOT the same history: ${again.digest}`;
  print([`the last of seed ${seed}, run again (${same}):`, ...again.transcript.slice(-LAST_LINES)]);
}

function* jobs(seeds: number, from: number, minutes: number, guardsOff: boolean): Iterable<SeedOptions> {
  for (let seed = from; seed < from + seeds; seed += 1) yield { seed, minutes, guardsOff };
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
