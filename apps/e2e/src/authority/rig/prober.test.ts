import { expect, test } from 'vitest';
import { longestGapMs, type Probe } from './prober.ts';

const probe = (sentAt: number, outcome = 'ok', port = 1): Probe => ({
  id: `${port}-${sentAt}`,
  port,
  sentAt,
  answeredAt: sentAt + 5,
  outcome,
});
/** Each 50 ms, as the prober does. */
const steady = (from: number, to: number, outcome = 'ok', port = 1): Probe[] =>
  Array.from({ length: (to - from) / 50 }, (_none, index) => probe(from + index * 50, outcome, port));

const rows: [title: string, probes: Probe[], longest: number][] = [
  ['always answered', steady(0, 1_000), 50],
  ['refused for a while', [...steady(0, 300), ...steady(300, 700, '503 not_fresh'), ...steady(700, 1_000)], 450],
  ['without an answer to the end', [...steady(0, 300), ...steady(300, 1_000, 'ECONNREFUSED')], 750],
  ['without one from the beginning', [...steady(0, 600, 'no answer in time'), ...steady(600, 1_000)], 600],
  ['one port refuses, another answers', [...steady(0, 1_000), ...steady(0, 1_000, '503 not_owner', 2)], 50],
  ['not asked at all', [], 1_000],
  ['not asked for a while: the prober stood still', [...steady(0, 300), ...steady(900, 1_000)], 100],
  ['refused before and after the prober stood still', [probe(0), probe(50, '503'), probe(900, '503'), probe(950)], 200],
  ['asked outside of the stretch only', [probe(-50), probe(1_050)], 1_000],
];
test.each(rows)('%s', (_title, probes, longest) => expect(longestGapMs(probes, 0, 1_000)).toBe(longest));
