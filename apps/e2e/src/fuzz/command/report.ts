import type { Failure } from '../bench.ts';
import { FAULTS } from '../peers/faults.ts';
import type { PeerName } from '../peers/peer.ts';
import { RULES, type Rule } from '../rules.ts';
import type { Crash } from './farm.ts';
import type { Totals } from './totals.ts';

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

const percent = (part: number, of: number): string => (of === 0 ? 'none' : `${((100 * part) / of).toFixed(1)} %`);

/** How to see a failure again, and the smallest bytes that show it. */
export function failureLines({ kind, seed, mutations, faults, bytes, alone }: Failure): string[] {
  const counts = {
    valid: '--requests 0 --valid 1 --responses 0',
    mutated: '--requests 1 --valid 0 --responses 0',
    response: '--requests 0 --valid 0 --responses 1',
  };
  return [
    `${kind} ${seed} (${mutations.join(', ') || 'not mutated'}):`,
    ...faults.map((fault) => `  ${fault.slice(0, 600)}`),
    `  ${alone ? 'bytes' : 'only behind other cases, bytes'}: ${bytes.slice(0, 4_000)}`,
    `  again: npm run fuzz -- ${counts[kind]} --seed ${seed}`,
  ];
}

export const crashLines = ({ error, running }: Crash): string[] => [`crashed while running ${running.join(', ')}:`, `  ${error}`];

/** The result by rules: every rule of the list, also those that explained nothing. */
export function tableLines(totals: Totals, peers: readonly PeerName[]): string[] {
  return [
    'requests that a rule refused, and how many of them others took:',
    ...table(totals.refusedBy, totals.stricter, totals.againstAll, peers),
    'answers that a rule refused, and how many of them others took:',
    ...table(totals.answersRefusedBy, totals.answersStricter, undefined, peers),
  ];
}

type ByRule = Partial<Record<Rule, number>>;

function table(
  refused: ByRule,
  taken: Partial<Record<PeerName, ByRule>>,
  byAll: ByRule | undefined,
  peers: readonly PeerName[],
): string[] {
  const columns: readonly (readonly [string, ByRule])[] = [
    ['refused', refused],
    ...peers.map((peer): [string, ByRule] => [peer, taken[peer] ?? {}]),
    ...(byAll === undefined ? [] : [['all of them', byAll] as const]),
  ];
  const rows = (Object.keys(RULES) as Rule[]).map((rule) => [rule, ...columns.map(([, counts]) => whole(counts[rule] ?? 0))]);
  const sums = columns.map(([, counts]) => whole(Object.values(counts).reduce((sum, count) => sum + count, 0)));
  return [['rule', ...columns.map(([title]) => title)], ...rows, ['sum', ...sums]].map(([first = '', ...cells]) =>
    [`  ${first.padEnd(18)}`, ...cells.map((cell) => cell.padStart(12))].join(''),
  );
}

export function summaryLines(totals: Totals, peers: readonly PeerName[]): string[] {
  const { valid, validReached, mutated, mutatedReached, responses, responsesWhole } = totals;
  const stricter = peers.map((peer) => {
    const refusals = Object.entries(totals.peerStricter[peer] ?? {}).sort(([, a], [, b]) => b - a);
    const sum = refusals.reduce((total, [, count]) => total + count, 0);
    const shown = refusals.map(([how, count]) => `${how} ${whole(count)}`).join(', ');
    return `${peer}: sees the same in ${whole(totals.same[peer] ?? 0)}; refuses what the RFC allows and we take in ${whole(sum)}${shown === '' ? '' : ` (${shown})`}`;
  });
  return [
    `mutated requests that reached the application: ${whole(mutatedReached)} of ${whole(mutated)}, ${percent(mutatedReached, mutated)}`,
    `valid requests that reached the application: ${whole(validReached)} of ${whole(valid)}`,
    `mutated answers that reached the client whole: ${whole(responsesWhole)} of ${whole(responses)}, ${percent(responsesWhole, responses)}`,
    ...stricter,
    ...Object.entries(FAULTS).map(([name, { says }]) => `fault of a reference: ${says}: ${whole(totals.peerFaults[name] ?? 0)}`),
    ...peers.map(
      (peer) =>
        `${peer}, of answers: sees the same in ${whole(totals.answersSame[peer] ?? 0)}; refuses what the RFC allows and we take in ${whole(totals.answersPeerStricter[peer] ?? 0)}`,
    ),
  ];
}

/** What is asked of a run besides that nothing fails. */
export function shortfalls({ valid, validReached, mutated, mutatedReached }: Totals): string[] {
  const short: string[] = [];
  if (validReached < valid) short.push(`${whole(valid - validReached)} valid requests did not reach the application`);
  // A few say nothing about a share.
  if (mutated >= 1_000 && mutatedReached < 0.3 * mutated)
    short.push('less than 30 % of the mutated requests reached the application');
  return short;
}
