import type { Change, Mutant } from '../mutant.ts';

/** A mutant that no scan can derive: which other number, which later moment, which rule in two places. */
export interface Row {
  readonly id: string;
  readonly kind: Exclude<Mutant['kind'], 'guard'>;
  readonly removes: string;
  readonly traces?: readonly string[];
  readonly changes: readonly Change[];
}
