import type { Figures, Outcome, Ratios } from '../measure/figures.ts';
import type { Scenario } from '../scenarios.ts';

/** A number as people read it: three digits that mean something. */
export const readable = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2);

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], left: number, rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map((_, index) => (index < left ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

const cell = (outcome: Outcome | undefined, of: (measured: Extract<Outcome, { kind: 'measured' }>) => string): string =>
  outcome?.kind === 'measured' ? of(outcome) : (outcome?.kind ?? '');

/** The medians, as docs/performance.md holds them. */
export const figuresTable = (scenarios: readonly Scenario[], subjects: readonly string[], figures: Figures): string =>
  table(
    ['scenario', 'unit', ...subjects],
    2,
    scenarios.map(({ name, unit }) => [
      name,
      unit,
      ...subjects.map((subject) => cell(figures[name]?.[subject], ({ median }) => readable(median))),
    ]),
  );

/** The proxy's own processor time. */
export const cpuTable = (scenarios: readonly Scenario[], subjects: readonly string[], figures: Figures): string =>
  table(
    ['processor time', 'µs for each', ...subjects],
    2,
    scenarios.map(({ name, op }) => [
      name,
      op,
      ...subjects.map((subject) => cell(figures[name]?.[subject], ({ cpuPerOp }) => readable(cpuPerOp))),
    ]),
  );

/** How we stand to each: by figure / by processor time. */
export const ratiosTable = (scenarios: readonly Scenario[], peers: readonly string[], ratios: Ratios): string =>
  table(
    ['we are … times (figure / processor time)', ...peers],
    1,
    scenarios.map(({ name }) => [
      name,
      ...peers.map((peer) => {
        const ratio = ratios[name]?.[peer];
        return ratio === undefined ? '' : `${ratio.value.toFixed(2)} / ${ratio.cpu.toFixed(2)}`;
      }),
    ]),
  );

/** Lowest and highest of each: whether the machine was quiet. */
export const spreadTable = (scenarios: readonly Scenario[], subjects: readonly string[], figures: Figures): string =>
  table(
    ['lowest to highest', ...subjects],
    1,
    scenarios.map(({ name }) => [
      name,
      ...subjects.map((subject) => cell(figures[name]?.[subject], ({ min, max }) => `${readable(min)} to ${readable(max)}`)),
    ]),
  );

/** One line for each that could not be measured. */
export const missingLines = (figures: Figures): string[] =>
  Object.entries(figures).flatMap(([scenario, outcomes]) =>
    Object.entries(outcomes).flatMap(([name, outcome]) => {
      if (outcome.kind === 'measured') return [];
      return [`${scenario}: ${name} ${outcome.kind === 'cannot' ? 'cannot run it' : 'failed'}: ${outcome.reason}`];
    }),
  );
