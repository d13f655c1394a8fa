import { addCoverage, COVERED, type Coverage, createCoverage } from '../coverage.ts';
import { COVERAGE_PER_HOUR, EVALUATIONS_PER_HOUR } from '../floors.ts';
import type { SeedResult } from '../run-seed.ts';
import { type Evaluations, noEvaluations, RULES } from '../truth/violations.ts';

/** The sum over many seeds, as people read it. */
export interface Totals {
  seeds: number;
  virtualMs: number;
  events: number;
  readonly evaluations: Evaluations;
  violations: number;
  readonly coverage: Coverage;
}

export const noTotals = (): Totals => ({
  seeds: 0,
  virtualMs: 0,
  events: 0,
  evaluations: noEvaluations(),
  violations: 0,
  coverage: createCoverage(),
});

export function add(totals: Totals, result: SeedResult): void {
  totals.seeds += 1;
  totals.virtualMs += result.virtualMs;
  totals.events += result.eventCount;
  for (const rule of RULES) totals.evaluations[rule] += result.evaluations[rule];
  totals.violations += result.violations.length > 0 ? 1 : 0;
  addCoverage(totals.coverage, result.coverage);
}

const HOUR_MS = 3_600_000;
/** Floors are for many seeds: a few may miss a kind by chance. */
const FLOORS_FROM_HOURS = 20;

export function shortfalls({ coverage, virtualMs, evaluations }: Totals): string[] {
  const hours = virtualMs / HOUR_MS;
  if (hours < FLOORS_FROM_HOURS) return sum(evaluations) === 0 ? ['no invariant was evaluated'] : [];
  const below = (counts: Readonly<Record<string, number>>, floors: Readonly<Record<string, number>>, what: string): string[] =>
    Object.entries(floors).flatMap(([name, floor]) => {
      const [count, wanted] = [counts[name] ?? 0, Math.ceil(floor * hours)];
      return count < wanted ? [`${what}${name}: ${whole(count)}, at least ${whole(wanted)} wanted`] : [];
    });
  return [...below(coverage, COVERAGE_PER_HOUR, ''), ...below(evaluations, EVALUATIONS_PER_HOUR, 'evaluations of ')];
}

export function closing(totals: Totals, seconds: number): string[] {
  const { seeds, virtualMs, events, evaluations, violations, coverage } = totals;
  const counts = COVERED.map((name) => `${name} ${whole(coverage[name])}`);
  return [
    `covered: ${counts.join(' · ')}`,
    `evaluated: ${RULES.map((rule) => `${rule} ${whole(evaluations[rule])}`).join(' · ')}`,
    `${whole(seeds)} seeds, ${(virtualMs / HOUR_MS).toFixed(1)} virtual hours, ${whole(events)} events ` +
      `${Number.isNaN(seconds) ? '' : `(${whole(events / seconds)} a second) `}`.trimEnd() +
      `, ${whole(sum(evaluations))} evaluations of invariants, ${whole(violations)} violations`,
  ];
}

/** The first violation of a seed, how to see it again, and what led to it. */
export function failure(result: SeedResult, minutes: number, guardsOff: boolean): string[] {
  const [first] = result.violations;
  if (first === undefined) return [];
  const replay = `npm run sim -- --seed ${result.seed} --minutes ${minutes}${guardsOff ? ' --guards off' : ''}`;
  return [
    `seed ${result.seed} broke a rule after ${(first.at / 1_000).toFixed(3)} s: ${first.rule} (history ${result.digest})`,
    ...result.violations.map(({ rule, detail }) => `  ${rule}: ${detail}`),
    `  again: ${replay} --trace`,
  ];
}

const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((all, count) => all + count, 0);
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
