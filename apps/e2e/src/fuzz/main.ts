// `npm run fuzz`: mutated requests and answers through the real listener, next to a strict reader of the RFC and other servers.
import type { Failure, Job, Kind } from './bench.ts';
import { type Crash, farm } from './command/farm.ts';
import { type Options, readOptions, USAGE } from './command/options.ts';
import { crashLines, failureLines, shortfalls, summaryLines, tableLines, whole } from './command/report.ts';
import { addTotals, noTotals } from './command/totals.ts';
import { haproxy } from './peers/haproxy.ts';
import { nginx } from './peers/nginx.ts';
import type { PeerName } from './peers/peer.ts';
import { binaryOf } from './peers/process.ts';

/** Small enough that all processes end at nearly the same time, large enough that they rarely wait. */
const JOB_CASES = 500;
/** More of them say nothing that the first did not. */
const FAILURES_MAX = 20;
const PROGRESS_MS = 15_000;

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n${USAGE}`);
  process.exitCode = 64;
} else {
  process.exitCode = await run(options);
}

async function run({ requests, valid, responses, seed, workers }: Options): Promise<number> {
  const peers: PeerName[] = ['node'];
  for (const program of [nginx, haproxy]) {
    if (binaryOf(program) !== undefined) peers.push(program.name);
    else console.log(`skipped: ${program.name} as a reference: ${program.installWith}`);
  }
  const startedAt = performance.now();
  const totals = noTotals();
  const failures: Failure[] = [];
  const crashes: Crash[] = [];
  // Asked to end, it finishes what runs and tells what was done.
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stopped = true));
  const sum = requests + valid + responses;
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const doneCount = (): number => totals.mutated + totals.valid + totals.responses;
  const progress = setInterval(
    () => console.log(`${whole(doneCount())} of ${whole(sum)}, ${whole(doneCount() / seconds())} a second`),
    PROGRESS_MS,
  );
  function* all(): Iterable<Job> {
    for (const job of [...jobs('valid', seed, valid), ...jobs('mutated', seed, requests), ...jobs('response', seed, responses)])
      if (!stopped && failures.length + crashes.length < FAILURES_MAX) yield job;
  }
  await farm(all(), Math.min(workers, Math.ceil(sum / JOB_CASES)), peers, {
    done(done) {
      addTotals(totals, done.totals);
      for (const failure of done.failures) if (failures.push(failure) <= FAILURES_MAX) print(failureLines(failure));
    },
    crashed(crash) {
      crashes.push(crash);
      print(crashLines(crash));
    },
  });
  clearInterval(progress);

  print(tableLines(totals, peers));
  print(summaryLines(totals, peers));
  const short = shortfalls(totals);
  print(short);
  console.log(
    `${whole(totals.mutated)} mutated requests, ${whole(totals.valid)} valid, ${whole(totals.responses)} answers, from seed ${seed}: ` +
      `${whole(seconds())} s (${whole(doneCount() / seconds())} a second), ` +
      `${whole(failures.length)} unexplained differences, ${whole(crashes.length)} crashes`,
  );
  return failures.length + crashes.length + short.length > 0 ? 1 : 0;
}

function* jobs(kind: Kind, seed: number, count: number): Iterable<Job> {
  for (let done = 0; done < count; done += JOB_CASES) yield { kind, from: seed + done, count: Math.min(JOB_CASES, count - done) };
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
