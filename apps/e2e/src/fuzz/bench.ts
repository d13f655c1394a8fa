import type { Clock } from '@sallyport/process';
import { countRequest, countResponse, noTotals, type Totals } from './command/totals.ts';
import { HOST, type Lane, openLane } from './lane.ts';
import { escaped, minimise } from './minimise.ts';
import { haproxy } from './peers/haproxy.ts';
import { nginx } from './peers/nginx.ts';
import { startNodePeer } from './peers/node.ts';
import type { Peer, PeerName } from './peers/peer.ts';
import { startPeer } from './peers/process.ts';
import { makeCase } from './requests/case.ts';
import { faultsOf, runCase } from './requests/run-case.ts';
import { makeResponseCase } from './responses/case.ts';
import { runResponseCase } from './responses/run-case.ts';

export type Kind = 'valid' | 'mutated' | 'response';

/** Consecutive seeds of one kind of case. */
export interface Job {
  readonly kind: Kind;
  readonly from: number;
  readonly count: number;
}

export interface Failure {
  readonly kind: Kind;
  readonly seed: number;
  readonly mutations: readonly string[];
  readonly faults: readonly string[];
  /** The smallest that fails so, escaped; of a fault that shows itself only behind other cases, the case as it was. */
  readonly bytes: string;
  readonly alone: boolean;
}

export interface Done {
  readonly totals: Totals;
  readonly failures: readonly Failure[];
}

/** Everything that cases run on, in one process. */
export interface Bench {
  run(job: Job): Promise<Done>;
  /** What runs now: after a crash it is one of them. */
  running(): readonly string[];
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly clock: Clock;
  readonly laneCount: number;
  readonly peers: readonly PeerName[];
}

/** What failed is run again and again while it is made smaller: more of them would only take time. */
const MINIMISED_MAX = 3;

export async function openBench({ clock, laneCount, peers: names }: BenchOptions): Promise<Bench> {
  const lanes = await Promise.all(Array.from({ length: laneCount }, () => openLane(clock)));
  const peers: Peer[] = [];
  for (const name of names)
    peers.push(name === 'node' ? startNodePeer() : await startPeer(name === 'nginx' ? nginx : haproxy, laneCount));
  const running = new Map<Lane, string>();
  let minimised = 0;

  async function runOne(lane: Lane, number: number, kind: Kind, seed: number, { totals, failures }: DoneSoFar): Promise<void> {
    running.set(lane, `${kind} ${seed}`);
    lane.supervisor.records.length = 0;
    if (kind === 'response') {
      const subject = makeResponseCase(seed);
      const result = await runResponseCase(lane, number, peers, subject);
      countResponse(totals, result);
      const again = async (smaller: typeof subject): Promise<readonly string[]> =>
        faultsOf(await runResponseCase(lane, number, peers, smaller));
      const faults = faultsOf(result);
      if (faults.length > 0) failures.push(await failed(lane, subject, faults, again));
    } else {
      const subject = makeCase(kind, seed, HOST);
      const result = await runCase(lane, number, peers, subject);
      countRequest(totals, kind, result);
      const faults = faultsOf(result);
      const again = async (smaller: typeof subject): Promise<readonly string[]> =>
        faultsOf(await runCase(lane, number, peers, smaller));
      if (faults.length > 0) failures.push(await failed(lane, subject, faults, again));
    }
    running.delete(lane);
  }

  /** Runs it again, on a connection of its own, ever smaller. */
  async function failed<C extends CaseOfAnyKind>(
    lane: Lane,
    subject: C,
    faults: readonly string[],
    again: (smaller: C) => Promise<readonly string[]>,
  ): Promise<Failure> {
    const kindOf = (fault: string | undefined): string => (fault ?? '').split(':', 1)[0] ?? '';
    const failsAlike = async (smaller: C): Promise<boolean> => {
      (await lane.connection()).drop();
      return kindOf((await again(smaller))[0]) === kindOf(faults[0]);
    };
    const alone = await failsAlike(subject);
    const smallest = alone && minimised++ < MINIMISED_MAX ? await minimise(subject, failsAlike) : subject;
    const { kind, seed, mutations } = subject;
    const cut = smallest.cuts.length > 0 ? ` cut at ${smallest.cuts.join(', ')}` : '';
    return { kind, seed, mutations, faults, alone, bytes: escaped(smallest.bytes) + cut };
  }

  return {
    async run({ kind, from, count }) {
      const done: DoneSoFar = { totals: noTotals(), failures: [] };
      let next = from;
      const work = async (lane: Lane, number: number): Promise<void> => {
        while (next < from + count) await runOne(lane, number, kind, next++, done);
      };
      await Promise.all(lanes.map(work));
      return done;
    },
    running: () => [...running.values()],
    async close() {
      await Promise.all([...lanes.map((lane) => lane.close()), ...peers.map((peer) => peer.close())]);
    },
  };
}

interface DoneSoFar {
  readonly totals: Totals;
  readonly failures: Failure[];
}

type CaseOfAnyKind = ReturnType<typeof makeCase> | ReturnType<typeof makeResponseCase>;
