import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readAll } from '@sallyport/process';
import { fuzzRouting, type Tally } from './routing.ts';
import { fuzzThrough } from './through.ts';

/** `npx nx run edge:fuzz -- --hellos N`: mutated ClientHellos against what they mean; ends with 1 if one was misread. */

interface Stretch {
  readonly from: number;
  readonly to: number;
}
/** Seeds that one worker does between two reports. */
const STRETCH = 20_000;

if (!isMainThread) {
  const { from, to } = workerData as Stretch;
  for (let seed = from; seed < to; seed += STRETCH) parentPort?.postMessage(fuzzRouting(seed, Math.min(to, seed + STRETCH)));
} else {
  const reading = readAll({ env: {}, args: process.argv.slice(2) }, (read) => ({
    hellos: read.integer('hellos', 'Hellos to read.', { min: 1, max: 1_000_000_000, otherwise: 1_000_000 }),
    through: read.integer('through', 'Hellos to send through sockets as well.', { min: 0, max: 10_000_000, otherwise: 20_000 }),
    seed: read.integer('seed', 'Of the first; each is its own case.', { min: 1, otherwise: 1 }),
    workers: read.integer('workers', 'Threads.', { min: 1, max: 64, otherwise: 2 }),
  }));
  if (reading.kind === 'read') process.exitCode = await runAll(reading.config);
  else {
    const lines = reading.kind === 'invalid' ? reading.problems : reading.kind === 'help' ? [reading.text] : [];
    for (const line of lines) console.log(line);
    process.exitCode = reading.kind === 'invalid' ? 64 : 0;
  }
}

async function runAll(options: { hellos: number; through: number; seed: number; workers: number }): Promise<number> {
  const { hellos, through, seed, workers } = options;
  const startedAt = performance.now();
  const sum: Tally = { outcomes: new Map(), faults: [] };
  const each = Math.ceil(hellos / workers);
  await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      runWorker({ from: seed + index * each, to: Math.min(seed + hellos, seed + (index + 1) * each) }, sum),
    ),
  );
  print(`${hellos} hellos read`, sum, startedAt);
  const socketsAt = performance.now();
  const through_ = through === 0 ? { outcomes: new Map<string, number>(), faults: [] } : await fuzzThrough(seed, seed + through);
  if (through > 0) print(`${through} hellos through sockets`, through_, socketsAt);
  return sum.faults.length + through_.faults.length === 0 ? 0 : 1;
}

function runWorker(stretch: Stretch, sum: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: stretch, execArgv: process.execArgv });
    worker.on('message', ({ outcomes, faults }: Tally) => {
      for (const [outcome, count] of outcomes) sum.outcomes.set(outcome, (sum.outcomes.get(outcome) ?? 0) + count);
      sum.faults.push(...faults);
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}

function print(title: string, { outcomes, faults }: Tally, startedAt: number): void {
  console.log(`${title} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  for (const [outcome, count] of [...outcomes].sort(([, a], [, b]) => b - a))
    console.log(`  ${String(count).padStart(9)} ${outcome}`);
  for (const fault of faults) console.log(`  FAULT ${fault}`);
  console.log(`  ${faults.length} faults`);
}
