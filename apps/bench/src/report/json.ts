import type { Figures, Ratios } from '../measure/figures.ts';
import type { Machine } from '../measure/machine.ts';
import type { Scenario } from '../scenarios.ts';

/** What `--json` writes: only what was measured; the rest is in `notMeasured`, with its reason. */
export function jsonOf(
  machine: Machine,
  rounds: number,
  scenarios: readonly Scenario[],
  figures: Figures,
  ratios: Ratios,
  voids: readonly string[],
): unknown {
  return {
    machine,
    rounds,
    void: voids,
    scenarios: scenarios.map(({ name, unit, op }) => {
      const results: Record<string, unknown> = {};
      const notMeasured: Record<string, string> = {};
      for (const [subject, outcome] of Object.entries(figures[name] ?? {})) {
        if (outcome.kind !== 'measured') notMeasured[subject] = outcome.reason;
        else {
          const { median, min, max, cpuPerOp } = outcome;
          results[subject] = { median, min, max, cpuPerOp };
        }
      }
      return { name, unit, op, results, notMeasured };
    }),
    ratios,
  };
}
