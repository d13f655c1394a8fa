import type { Spread } from './statistics.ts';

/** What a subject came to in a scenario. */
export type Outcome =
  /** `cpuPerOp`: its own processor time for one unit of work, microseconds, median. */
  | (Spread & { readonly kind: 'measured'; readonly cpuPerOp: number })
  | { readonly kind: 'cannot'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** By scenario, then by subject. */
export type Figures = Readonly<Record<string, Readonly<Record<string, Outcome>>>>;

/** How we stand to a peer: above 1 we are better. */
export interface Ratio {
  /** By the scenario's own figure. */
  readonly value: number;
  /** By processor time for one unit of work. */
  readonly cpu: number;
}

export type Ratios = Readonly<Record<string, Readonly<Record<string, Ratio>>>>;

export const US = 'us';

/** @param better by scenario, whether more or less is better */
export function ratiosOf(figures: Figures, better: (scenario: string) => 'more' | 'less'): Ratios {
  const ratios: Record<string, Record<string, Ratio>> = {};
  for (const [scenario, outcomes] of Object.entries(figures)) {
    const ours = outcomes[US];
    if (ours?.kind !== 'measured') continue;
    const ofScenario: Record<string, Ratio> = {};
    for (const [name, theirs] of Object.entries(outcomes)) {
      if (name === US || theirs.kind !== 'measured') continue;
      const value = better(scenario) === 'more' ? ours.median / theirs.median : theirs.median / ours.median;
      ofScenario[name] = { value, cpu: theirs.cpuPerOp / ours.cpuPerOp };
    }
    ratios[scenario] = ofScenario;
  }
  return ratios;
}
