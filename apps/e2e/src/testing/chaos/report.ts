import type { Outcome } from './run.ts';
import type { Wanted } from './schedule.ts';

const VIOLATIONS_SHOWN_MAX = 40;

/** What a run ends with: counts, how long recovery took, and what was violated. */
export function summaryOf(
  { seed }: Pick<Wanted, 'seed'>,
  { evidence, violations, recoveries, folder }: Outcome,
): readonly string[] {
  const { asked, deliveries, opened, sights, faults, moves } = evidence;
  const outcomes = new Map<string, number>();
  for (const { outcome } of asked) {
    const name =
      outcome.kind === 'refused'
        ? `refused ${outcome.why}`
        : outcome.kind === 'no-answer'
          ? `no answer: ${outcome.why}`
          : outcome.kind;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  }
  const lines = deliveries.filter(({ line }) => line !== undefined).length;
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  const worst = recoveries.toSorted((a, b) => b.tookMs / b.boundMs - a.tookMs / a.boundMs).slice(0, 5);
  return [
    '',
    `faults: ${[...kinds]
      .map(([kind, each]) => `${kind} ${each.length}`)
      .toSorted()
      .join(', ')}`,
    `answers: ${[...outcomes]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
    `reached applications: ${deliveries.length - lines} requests, ${lines} lines of tunnels, ${opened.length} channels of boundaries`,
    `ownership: ${moves.length} changes on record; discovery was asked ${sights.length} times`,
    `recovery: p50 ${seconds(share(recoveries, 0.5))}, p99 ${seconds(share(recoveries, 0.99))}, most ${seconds(share(recoveries, 1))} after the last fault of a round had healed; nearest to their bounds:`,
    ...worst.map(
      ({ round, sandbox, tookMs, boundMs }) => `  round ${round}, ${sandbox}: ${seconds(tookMs)} of ${seconds(boundMs)}`,
    ),
    ...violations.slice(0, VIOLATIONS_SHOWN_MAX).map((violation) => `VIOLATION ${violation}`),
    ...(folder === undefined ? [] : [`everything that was seen is kept in ${folder}`]),
    `seed ${seed}: ${faults.length} faults, ${asked.length} probes, ${violations.length} violations`,
  ];
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function share(recoveries: Outcome['recoveries'], part: number): number {
  const sorted = recoveries.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
