import type { WorkspaceId } from '@sallyport/model';
import type { gatewayV1 } from '@sallyport/wire';
import type { SandboxRef } from './declarations.ts';

/** What of workloads' own declarations is not followed now, and why: for `status`, since who wrote them sees it in their Events alone. */
export interface WorkloadProblems {
  /** Empty: nothing is wrong with it (any more). */
  note(name: string, ref: SandboxRef, problem: string): void;
  /** Whoever is not told of any more has no problem either. */
  keep(isToldOf: (name: string) => boolean): void;
  /** Those of workspaces that somebody may see: the first by name, and how many there are. */
  shown(maySee: (workspace: WorkspaceId) => boolean): Pick<gatewayV1.GetStatusResponse, 'problems' | 'problemCount'>;
}

/** Of Pods of all the cluster; past that, one that is new is in the log alone. */
export const PROBLEMS_HELD_MAX = 10_000;
export const PROBLEMS_SHOWN_MAX = 100;
/** In one answer, which must stay small whatever a workload says. */
export const PROBLEM_LENGTH_MAX = 512;

export function createWorkloadProblems(): WorkloadProblems {
  const held = new Map<string, gatewayV1.WorkloadProblem & SandboxRef>();
  return {
    note(name, { workspace, sandbox }, problem) {
      if (problem === '') held.delete(name);
      else if (held.has(name) || held.size < PROBLEMS_HELD_MAX)
        held.set(name, { workspace, sandbox, problem: problem.slice(0, PROBLEM_LENGTH_MAX) });
    },
    keep(isToldOf) {
      for (const name of held.keys()) if (!isToldOf(name)) held.delete(name);
    },
    shown(maySee) {
      const seen = [...held].filter(([, { workspace }]) => maySee(workspace));
      const first = seen.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, PROBLEMS_SHOWN_MAX);
      return { problems: first.map(([, problem]) => problem), problemCount: seen.length };
    },
  };
}
