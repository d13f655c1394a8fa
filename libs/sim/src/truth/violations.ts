/** A rule of DESIGN was broken: which, and what was seen. */
export interface Violation {
  readonly rule: Rule;
  readonly detail: string;
  /** True time. */
  readonly at: number;
}

export const RULES = [
  'one member admits',
  'nothing served past its deadline',
  'nothing served without authority',
  'withdrawn routes end',
  'a released owner is not renewed',
  'no byte of a stale owner arrives',
  'a right lives by its nonce',
  'no way opens under an epoch left behind',
  'nothing published past its authority',
  'nothing followed past its authority',
  'what is kept up is what is judged',
  'what was told adds up to what is shown',
  'no record to a stream without the grant',
  'nothing held without the grant',
  'epochs only rise',
  'transitions are legal',
  'a takeover waits',
  'a nonce counts once',
  'a lapsed gateway commits nothing',
  'no lease after a fence was seen',
  'no lease for a report after the fence',
  'no lease for a report of what is past',
  'an owner that lives is published',
  'every sandbox is published',
  'nothing throws',
] as const;

export type Rule = (typeof RULES)[number];

/** How often each was looked at. */
export type Evaluations = Record<Rule, number>;

export const noEvaluations = (): Evaluations => Object.fromEntries(RULES.map((rule) => [rule, 0])) as Evaluations;

/** Where invariants report to. Also counts how often each was looked at: a rule that is never evaluated proves nothing. */
export interface Court {
  broken(rule: Rule, detail: string): void;
  looked(rule: Rule): void;
  readonly violations: readonly Violation[];
  readonly evaluations: Readonly<Evaluations>;
}

export function createCourt(now: () => number): Court {
  const violations: Violation[] = [];
  const evaluations = noEvaluations();
  return {
    broken(rule, detail) {
      violations.push({ rule, detail, at: now() });
    },
    looked(rule) {
      evaluations[rule] += 1;
    },
    violations,
    evaluations,
  };
}
