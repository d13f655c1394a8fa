import type { Target } from '../load/target.ts';
import type { Scenario } from '../scenarios.ts';
import type { RunningSubject } from '../subjects/run-subject.ts';
import type { Subject } from '../subjects/subject.ts';
import type { Figures, Outcome } from './figures.ts';
import type { Ran } from './ran.ts';
import { spreadOf } from './statistics.ts';

export interface Rig {
  /** Starts a subject, or answers the one that runs. */
  started(subject: Subject): Promise<RunningSubject>;
  restarted(subject: Subject): Promise<RunningSubject>;
  /** After a run that failed: whatever it left behind is gone. */
  mend(subject: Subject): Promise<void>;
  targetOf(running: RunningSubject): Target;
}

export interface MeasureOptions {
  readonly scenarios: readonly Scenario[];
  readonly subjects: readonly Subject[];
  readonly rounds: number;
  readonly rig: Rig;
  readonly onProgress: (line: string) => void;
}

/** Runs everything, round by round, every subject in each round: what disturbs the machine meanwhile disturbs them all. */
export async function measure({ scenarios, subjects, rounds, rig, onProgress }: MeasureOptions): Promise<Figures> {
  const figures: Record<string, Record<string, Outcome>> = {};
  for (const scenario of scenarios) {
    const outcomes: Record<string, Outcome> = {};
    const runs = new Map<Subject, Ran[]>();
    for (const subject of subjects) {
      const reason = subject.cannot[scenario.name];
      if (reason === undefined) runs.set(subject, []);
      else outcomes[subject.name] = { kind: 'cannot', reason };
    }
    const roundCount = Math.min(rounds, scenario.roundsMax ?? rounds);
    for (let round = 1 - scenario.warmUpRuns; round <= roundCount; round++) {
      for (const subject of inTurn([...runs.keys()], round)) {
        try {
          const running = await (scenario.warmUpRuns > 0 ? rig.started(subject) : rig.restarted(subject));
          const ran = await within(RUN_MS_MAX, scenario.run(rig.targetOf(running)));
          if (round > 0) runs.get(subject)?.push(ran);
          const each = `${Math.round(ran.cpuUs / ran.opCount)} µs for each ${scenario.op}`;
          onProgress(`${scenario.name}, round ${round}: ${subject.name} ${Math.round(ran.value)} ${scenario.unit}, ${each}`);
        } catch (error) {
          outcomes[subject.name] = { kind: 'failed', reason: (error as Error).message };
          runs.delete(subject);
          onProgress(`${scenario.name}, round ${round}: ${subject.name} failed: ${(error as Error).message}`);
          await rig.mend(subject);
        }
      }
    }
    for (const [subject, all] of runs) outcomes[subject.name] = outcomeOf(all);
    figures[scenario.name] = outcomes;
  }
  return figures;
}

/** No run takes nearly as long, on however busy a machine: a proxy that hangs must not hold up the others. */
const RUN_MS_MAX = 150_000;

function within<T>(ms: number, run: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.reject(new Error(`no end within ${ms / 1_000} s`)), ms);
  return Promise.race([run, late.promise]).finally(() => clearTimeout(timer));
}

/** Each round begins with another one, so that nobody always has the same place. */
const inTurn = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = all.length === 0 ? 0 : Math.abs(round) % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

function outcomeOf(runs: readonly Ran[]): Outcome {
  const cpuPerOp = spreadOf(runs.map(({ cpuUs, opCount }) => cpuUs / opCount)).median;
  return { kind: 'measured', ...spreadOf(runs.map(({ value }) => value)), cpuPerOp };
}
