import type { Figures } from '../measure/figures.ts';

/** A peer that does less than this part of what it did when the figures were written says that the machine is not itself. */
export const VOID_BELOW = 0.8;

/** The figures of docs/performance.md: by scenario, then by subject. */
export interface Reference {
  /** The machine that they are of. */
  readonly machine: string;
  readonly figures: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Reads the first table whose first column is called `scenario`, as {@link referenceTable} writes it, and the line
 * `Machine: …` before it. A cell without a number says that there is none.
 */
export function readReference(markdown: string): Reference | undefined {
  const lines = markdown.split('\n');
  const at = lines.findIndex((line) => /^\|\s*scenario\s*\|/.test(line));
  const machine = lines.slice(0, Math.max(0, at)).findLast((line) => line.startsWith('Machine: '));
  if (at === -1 || machine === undefined) return undefined;
  const [, , ...subjects] = cellsOf(lines[at] ?? '');
  const figures: Record<string, Record<string, number>> = {};
  for (const line of lines.slice(at + 2)) {
    if (!line.startsWith('|')) break;
    const [scenario = '', , ...cells] = cellsOf(line);
    const ofScenario: Record<string, number> = {};
    for (const [index, cell] of cells.entries()) {
      const value = Number.parseFloat(cell.replaceAll(',', ''));
      if (!Number.isNaN(value)) ofScenario[subjects[index] ?? ''] = value;
    }
    figures[scenario] = ofScenario;
  }
  return { machine: machine.slice('Machine: '.length).trim(), figures };
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Why a run says nothing: each peer that did too little, one line for each. Our own figure is what is measured. */
export function voidedBy(
  reference: Reference,
  figures: Figures,
  better: (scenario: string) => 'more' | 'less',
  us: string,
): readonly string[] {
  return Object.entries(figures).flatMap(([scenario, outcomes]) =>
    Object.entries(outcomes).flatMap(([name, outcome]) => {
      const before = reference.figures[scenario]?.[name];
      if (name === us || outcome.kind !== 'measured' || before === undefined) return [];
      const part = better(scenario) === 'more' ? outcome.median / before : before / outcome.median;
      if (part >= VOID_BELOW) return [];
      return [`${scenario}: ${name} did ${part.toFixed(2)} of its figure in docs/performance.md`];
    }),
  );
}
