import type { Lane } from '../lane.ts';
import type { Comparison } from '../peers/compare.ts';
import { compareAnswer } from '../peers/compare-answer.ts';
import { blame } from '../peers/faults.ts';
import type { Peer } from '../peers/peer.ts';
import type { PeerVerdict } from '../requests/run-case.ts';
import { readResponse } from '../strict/response.ts';
import type { ResponseCase } from './case.ts';
import { type ResponseResult, runResponse } from './run.ts';

export interface ResponseCaseResult extends ResponseResult {
  readonly peers: readonly PeerVerdict[];
}

/** One answer through our listener and, with a clean end behind it, through all references. */
export async function runResponseCase(
  lane: Lane,
  laneNumber: number,
  peers: readonly Peer[],
  subject: ResponseCase,
): Promise<ResponseCaseResult> {
  const asked = peers.map((peer) => askPeer(peer, laneNumber, subject));
  const result = await runResponse(lane, subject);
  return { ...result, peers: await Promise.all(asked) };
}

async function askPeer(peer: Peer, lane: number, { method, bytes }: ResponseCase): Promise<PeerVerdict> {
  const asked = method === 'HEAD' ? 'HEAD' : 'GET';
  const ours = readResponse(bytes, asked === 'HEAD', true);
  const ask = async (): Promise<Comparison> => compareAnswer(ours, await peer.askAnswer(lane, asked, bytes));
  let comparison = await ask();
  // The machine may have been busy.
  if (comparison.kind === 'different') comparison = await ask();
  comparison = blame(peer.name, bytes, comparison);
  return { peer: peer.name, comparison, refusals: [] };
}
