import type { Lane } from '../lane.ts';
import { HOST } from '../lane.ts';
import { type Comparison, compare } from '../peers/compare.ts';
import { blame } from '../peers/faults.ts';
import type { Peer, PeerName, PeerOutcome } from '../peers/peer.ts';
import { type Reading, readRequests } from '../strict/requests.ts';
import { type Case, last } from './case.ts';
import { judgeOurs } from './judge-ours.ts';
import { runOurs } from './run-ours.ts';

export interface PeerVerdict {
  readonly peer: PeerName;
  readonly comparison: Comparison;
  readonly refusals: readonly string[];
}

export interface CaseResult {
  readonly reading: Reading;
  /** The request that counts reached the application whole. */
  readonly reached: boolean;
  /** Against the strict reader: none may be. */
  readonly wrong: readonly string[];
  readonly peers: readonly PeerVerdict[];
}

type Bytes = Pick<Case, 'bytes' | 'cuts' | 'before'>;

/** One case at our listener and at all references. */
export async function runCase(lane: Lane, laneNumber: number, peers: readonly Peer[], subject: Bytes): Promise<CaseResult> {
  const reading = readRequests(subject.bytes, HOST);
  const asked = peers.map((peer) => askPeer(peer, laneNumber, subject.bytes));
  const outcome = await runOurs(lane, subject, reading);
  return {
    reading,
    reached: outcome.seen[subject.before]?.state === 'whole',
    wrong: judgeOurs(reading, outcome),
    peers: await Promise.all(asked),
  };
}

async function askPeer(peer: Peer, lane: number, bytes: string): Promise<PeerVerdict> {
  const asked = bytes + last(HOST);
  const ours = readRequests(asked, HOST);
  let outcome: PeerOutcome = await peer.ask(lane, asked, false);
  let comparison = compare(ours, outcome);
  if (comparison.kind === 'different' || comparison.kind === 'peer-is-stricter') {
    outcome = await peer.ask(lane, asked, true);
    comparison = compare(ours, outcome);
  }
  comparison = blame(peer.name, asked, comparison);
  return { peer: peer.name, comparison, refusals: outcome.hung ? [...outcome.refusals, 'no end'] : outcome.refusals };
}

/** All that is wrong with it: our own faults first, then differences that no rule explains. */
export const faultsOf = ({ wrong, peers }: Pick<CaseResult, 'wrong' | 'peers'>): string[] => [
  ...wrong,
  ...peers.flatMap(({ peer, comparison }) =>
    comparison.kind === 'different' ? [`${peer} reads it otherwise: ${comparison.what}`] : [],
  ),
];
