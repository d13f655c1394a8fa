import type { PeerName } from '../peers/peer.ts';
import type { CaseResult } from '../requests/run-case.ts';
import type { ResponseCaseResult } from '../responses/run-case.ts';
import type { Rule } from '../rules.ts';

/** Sums of a run; plain, so that processes can hand them over. */
export interface Totals {
  valid: number;
  validReached: number;
  mutated: number;
  mutatedReached: number;
  responses: number;
  responsesWhole: number;
  /** Cases that a rule refused at our listener. */
  readonly refusedBy: Partial<Record<Rule, number>>;
  /** Differences from a reference that a rule explains. */
  readonly stricter: Partial<Record<PeerName, Partial<Record<Rule, number>>>>;
  /** What all references together take and we refuse. */
  readonly againstAll: Partial<Record<Rule, number>>;
  /** References that refuse what the RFC allows and we take, by how they refuse it. */
  readonly peerStricter: Partial<Record<PeerName, Record<string, number>>>;
  /** By reference and fault. */
  readonly peerFaults: Record<string, number>;
  readonly same: Partial<Record<PeerName, number>>;
  /** The same of answers. */
  readonly answersRefusedBy: Partial<Record<Rule, number>>;
  readonly answersStricter: Partial<Record<PeerName, Partial<Record<Rule, number>>>>;
  readonly answersPeerStricter: Partial<Record<PeerName, number>>;
  readonly answersSame: Partial<Record<PeerName, number>>;
}

export const noTotals = (): Totals => ({
  valid: 0,
  validReached: 0,
  mutated: 0,
  mutatedReached: 0,
  responses: 0,
  responsesWhole: 0,
  refusedBy: {},
  stricter: {},
  againstAll: {},
  peerStricter: {},
  peerFaults: {},
  same: {},
  answersRefusedBy: {},
  answersStricter: {},
  answersPeerStricter: {},
  answersSame: {},
});

const bump = <K extends string>(counts: Partial<Record<K, number>>, key: K): void => {
  counts[key] = (counts[key] ?? 0) + 1;
};

export function countRequest(totals: Totals, kind: 'valid' | 'mutated', { reading, reached, peers }: CaseResult): void {
  totals[kind] += 1;
  if (reached) totals[kind === 'valid' ? 'validReached' : 'mutatedReached'] += 1;
  const rule = reading.requests.find((request) => request.rule !== undefined)?.rule;
  if (rule !== undefined) bump(totals.refusedBy, rule);
  for (const { peer, comparison, refusals } of peers) {
    if (comparison.kind === 'same') bump(totals.same, peer);
    if (comparison.kind === 'peer-fault') bump(totals.peerFaults, comparison.fault);
    if (comparison.kind === 'we-are-stricter') {
      totals.stricter[peer] ??= {};
      bump(totals.stricter[peer], comparison.rule);
    }
    if (comparison.kind === 'peer-is-stricter') {
      totals.peerStricter[peer] ??= {};
      bump(totals.peerStricter[peer], refusals.at(-1) ?? 'ended');
    }
  }
  const [first] = peers;
  if (first?.comparison.kind === 'we-are-stricter' && peers.every(({ comparison }) => comparison.kind === 'we-are-stricter'))
    bump(totals.againstAll, first.comparison.rule);
}

export function countResponse(totals: Totals, { reading, peers }: ResponseCaseResult): void {
  totals.responses += 1;
  if (reading.state === 'whole') totals.responsesWhole += 1;
  else if (reading.state !== 'partial') bump(totals.answersRefusedBy, reading.state);
  for (const { peer, comparison } of peers) {
    if (comparison.kind === 'same') bump(totals.answersSame, peer);
    if (comparison.kind === 'peer-fault') bump(totals.peerFaults, comparison.fault);
    if (comparison.kind === 'peer-is-stricter') bump(totals.answersPeerStricter, peer);
    if (comparison.kind !== 'we-are-stricter') continue;
    totals.answersStricter[peer] ??= {};
    bump(totals.answersStricter[peer], comparison.rule);
  }
}

type Counts = { [key: string]: number | Counts | undefined };

/** Adds `more` into `totals`, however deep the counts lie. */
export function addTotals(totals: Totals, more: Totals): void {
  add(totals as unknown as Counts, more as unknown as Counts);
}

function add(into: Counts, more: Counts): void {
  for (const [key, value] of Object.entries(more)) {
    if (typeof value === 'number') into[key] = ((into[key] as number | undefined) ?? 0) + value;
    else if (value !== undefined) {
      into[key] ??= {};
      add(into[key] as Counts, value);
    }
  }
}
