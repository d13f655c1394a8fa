/** A rule of DESIGN was broken: which, and what was seen. */
export interface Violation {
  readonly rule: Rule;
  readonly detail: string;
  /** True time. */
  readonly at: number;
}

export type Rule =
  | 'one member admits'
  | 'nothing served past its deadline'
  | 'nothing served without authority'
  | 'withdrawn routes end'
  | 'a released owner is not renewed'
  | 'nothing published past its authority'
  | 'epochs only rise'
  | 'transitions are legal'
  | 'a takeover waits'
  | 'a nonce counts once'
  | 'a lapsed gateway commits nothing'
  | 'no lease after a fence was seen'
  | 'no lease for a report after the fence'
  | 'no lease for a report of what is past'
  | 'an owner that lives is published'
  | 'every sandbox is published'
  | 'nothing throws';

/** Where invariants report to. Also counts how often each was looked at: a rule that is never evaluated proves nothing. */
export interface Court {
  broken(rule: Rule, detail: string): void;
  looked(times?: number): void;
  readonly violations: readonly Violation[];
  evaluationCount(): number;
}

export function createCourt(now: () => number): Court {
  const violations: Violation[] = [];
  let evaluations = 0;
  return {
    broken(rule, detail) {
      violations.push({ rule, detail, at: now() });
    },
    looked(times = 1) {
      evaluations += times;
    },
    violations,
    evaluationCount: () => evaluations,
  };
}
