/** What became of one mutant. */
export type Outcome =
  | { readonly kind: 'killed'; readonly by: Killer }
  /** Nothing saw it. */
  | { readonly kind: 'survived' }
  /** All that happened is that it crashed, or did not end: that shows nothing about the rule. */
  | { readonly kind: 'crashed'; readonly why: string };

/** An assertion of a test that failed, or an invariant that was broken. */
export type Killer =
  | { readonly kind: 'test'; readonly name: string }
  | { readonly kind: 'seed'; readonly seed: number; readonly rule: string };

export const nameOf = (killer: Killer): string => (killer.kind === 'test' ? killer.name : `seed ${killer.seed}: ${killer.rule}`);

export function parseKiller(name: string): Killer {
  const [, seed, rule] = /^seed (\d+): (.*)$/.exec(name) ?? [];
  return seed === undefined || rule === undefined ? { kind: 'test', name } : { kind: 'seed', seed: Number(seed), rule };
}
