// A process that runs cases as it is told by its parent, and tells it what it was at should it crash.
import { createClock } from '@sallyport/process';
import { type Done, type Job, openBench } from '../bench.ts';
import type { PeerName } from '../peers/peer.ts';

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly done: Done }
  | { readonly kind: 'crashed'; readonly error: string; readonly running: readonly string[] };

const LANES = 12;

const tell = (message: FromWorker): void => void process.send?.(message);

const clock = createClock();
const bench = await openBench({
  clock,
  laneCount: LANES,
  peers: (process.argv[2] ?? '').split(',').filter(Boolean) as PeerName[],
});

const crash = (error: unknown): void => {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.send?.({ kind: 'crashed', error: said, running: bench.running() } satisfies FromWorker, () => process.exit(1));
};
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

process.on('message', (job: Job) => {
  void bench.run(job).then((done) => tell({ kind: 'done', done }));
});
/** A parent that is gone waits for nothing. */
const CLOSE_MS = 3_000;
process.on('disconnect', () => {
  setTimeout(() => process.exit(), CLOSE_MS).unref();
  void bench.close().finally(() => process.exit());
});
// Of the terminal's Ctrl-C: the parent ends this one when its job is done.
process.on('SIGINT', () => {});
// Not without the references that it started.
process.on('SIGTERM', () => process.exit(1));
tell({ kind: 'ready' });
