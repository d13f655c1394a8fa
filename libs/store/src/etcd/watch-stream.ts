import { later, type StoreRevision } from '@sallyport/model';
import type { IDuplexStream, IWatchRequest, IWatchResponse } from 'etcd3';
import type { StoreClock } from '../clock.ts';
import { keyBytes, rangeOf } from './entries.ts';
import { failureOf } from './failure.ts';
import type { Link } from './link.ts';
import type { Witness } from './witness.ts';

/** How one stream ended. `compacted`: etcd no longer has what it should begin with. */
export type StreamEnd = { readonly kind: 'compacted' } | { readonly kind: 'broken'; readonly message: string };

export interface WatchStreamOptions {
  readonly link: Link;
  readonly witness: Witness;
  readonly clock: StoreClock;
  readonly prefix: string;
  readonly from: StoreRevision;
  readonly deadlineMs: number;
  /** The watch is in place and nothing before it is missing. */
  readonly onOpen: () => void;
  readonly onResponse: (response: IWatchResponse) => void;
  readonly signal: AbortSignal;
}

/** One watch on one connection, until either ends. Says nothing before it knows that no history is missing. */
export async function runWatchStream(options: WatchStreamOptions): Promise<StreamEnd> {
  const { link, witness, clock, prefix, from, deadlineMs, onOpen, onResponse, signal } = options;
  const ended = Promise.withResolvers<StreamEnd>();
  const broken = (message: string): void => ended.resolve({ kind: 'broken', message });
  const abort = (): void => broken('closed');
  const early: IWatchResponse[] = [];
  let isOpen = false;
  let isOver = false;

  let stream: WatchCall;
  try {
    stream = ownErrors(await link.etcd.watchClient.watch(link.options()));
  } catch (error) {
    return { kind: 'broken', message: failureOf(error).message };
  }
  const cancelTimer = clock.at(later(clock.now(), deadlineMs), () => {
    if (!isOpen) broken('etcd did not open the watch in time');
  });

  stream.on('error', (error) => broken(failureOf(error).message));
  stream.on('end', () => broken('etcd ended the watch'));
  stream.on('data', (response) => {
    if (isOver) return;
    const objection = witness.problem(response.header);
    if (objection !== undefined) broken(objection);
    else if (response.canceled) ended.resolve(endOf(response));
    else if (response.created) void open();
    else if (isOpen) onResponse(response);
    else early.push(response);
  });
  // Not fragmented: a revision stays whole. No progress notifications: old servers send them ahead of events.
  stream.write({ create_request: { ...rangeOf(prefix), start_revision: String(from) } });

  async function open(): Promise<void> {
    const objection = await missingBefore(link, from, prefix, deadlineMs);
    if (isOver) return;
    if (objection !== undefined) return ended.resolve(objection);
    isOpen = true;
    onOpen();
    for (const response of early.splice(0)) if (!isOver) onResponse(response);
  }

  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const end = await ended.promise;
  isOver = true;
  signal.removeEventListener('abort', abort);
  cancelTimer();
  stream.cancel();
  return end;
}

const endOf = ({ compact_revision, cancel_reason }: IWatchResponse): StreamEnd =>
  compact_revision === '0' ? { kind: 'broken', message: cancel_reason } : { kind: 'compacted' };

/**
 * etcd before 3.4.36 takes a watch from exactly the compacted revision and leaves out that revision's deletions
 * (etcd-io/etcd#19179). One before it is still readable if and only if the compaction has not come that far.
 */
async function missingBefore(link: Link, from: bigint, key: string, ms: number): Promise<StreamEnd | undefined> {
  if (from <= 1n) return undefined;
  try {
    await link.etcd.kv.range({ key: keyBytes(`${key}\0`), revision: String(from - 1n) }, link.options(ms));
    return undefined;
  } catch (error) {
    const { kind, message } = failureOf(error);
    if (kind === 'future') return undefined;
    return kind === 'compacted' ? { kind } : { kind: 'broken', message };
  }
}

type WatchCall = IDuplexStream<IWatchRequest, IWatchResponse>;

/** etcd3 listens for errors and answers them by closing all channels of the host, also when we cancel. */
function ownErrors(stream: WatchCall): WatchCall {
  (stream as WatchCall & NodeJS.EventEmitter).removeAllListeners('error');
  return stream;
}
