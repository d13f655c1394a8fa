import { startAgain } from '../../authority/rig/start-again.ts';
import { sleep } from '../../authority/rig/until.ts';
import { type Done, type Evidence, nowMs } from './evidence.ts';
import { commit } from './faults.ts';
import { type Installation, startInstallation } from './installation.ts';
import { keep } from './keep.ts';
import { boundMs, isBack, stretchNow, TERMS } from './recovery.ts';
import { lineOf, type Round, scheduleOf, type Wanted } from './schedule.ts';
import { judge } from './verdict.ts';
import { type Watched, watch } from './watch.ts';
import { targetsOf, WORLD } from './world.ts';

/** At the beginning, all processes start at once. */
const FIRST_SERVED_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** After which it is no use to wait: something hangs. */
const GIVE_UP_FACTOR = 2;
/** Served for so long before the next fault. */
const STEADY_MS = 1_000;

export interface Outcome {
  readonly violations: readonly string[];
  readonly evidence: Evidence;
  /** How long each sandbox needed after the last fault of each round had healed; milliseconds. */
  readonly recoveries: readonly {
    readonly round: number;
    readonly sandbox: string;
    readonly tookMs: number;
    readonly boundMs: number;
  }[];
  /** Where everything is kept, if something was violated. */
  readonly folder: string | undefined;
}

/** The whole run: starts everything, breaks it as scheduled, watches from outside, and judges. Undefined: it was stopped. */
export async function runChaos(
  wanted: Wanted,
  say: (line: string) => void,
  stopping: AbortSignal = new AbortController().signal,
): Promise<Outcome | undefined> {
  const installation = await startInstallation(WORLD);
  const watched = watch(installation);
  const stopped = new Promise<undefined>((resolve) => {
    if (stopping.aborted) resolve(undefined);
    stopping.addEventListener('abort', () => resolve(undefined));
  });
  try {
    return await Promise.race([breakAll(installation, watched, wanted, say), stopped]);
  } finally {
    const quiet = watched.stop();
    // What has been asked is waited for, but not by somebody who wants to go.
    if (!stopping.aborted) await quiet;
    await installation.close();
  }
}

async function breakAll(
  installation: Installation,
  watched: Watched,
  wanted: Wanted,
  say: (line: string) => void,
): Promise<Outcome> {
  const late: string[] = [];
  const recoveries: Outcome['recoveries'][number][] = [];
  const done: Done[] = [];
  await allBack(installation, watched, nowMs(), FIRST_SERVED_MS);
  const before = await Promise.all(installation.sandboxes.map(({ application }) => application.state()));
  const rounds = scheduleOf(wanted, targetsOf(WORLD));
  const beganAt = nowMs();
  for (const [index, round] of rounds.entries()) {
    await sleep(Math.max(0, beganAt + round.at - nowMs()));
    const recent = done.filter((each) => each.healedAt > nowMs() - TERMS.grace);
    const faults = await runRound(installation, round, beganAt, say);
    done.push(...faults);
    const healedAt = Math.max(nowMs(), ...faults.map((fault) => fault.healedAt));
    const missed = await roundBack(installation, watched, round, recent, healedAt, (sandbox, tookMs, limitMs) => {
      recoveries.push({ round: index + 1, sandbox, tookMs, boundMs: limitMs });
    });
    const gone = await revive(installation);
    late.push(...[...missed, ...gone].map((each) => `round ${index + 1}: ${each}`));
    say(
      `round ${index + 1} of ${rounds.length}: all served again ${((nowMs() - healedAt) / 1_000).toFixed(2)} s after the last fault healed`,
    );
    if (missed.some((each) => each.includes('at all'))) break;
    await sleep(STEADY_MS);
  }
  const evidence = await watched.end(done, before);
  const violations = [...late, ...judge(evidence)];
  const folder = violations.length === 0 ? undefined : await keep(installation, evidence, violations, wanted.seed);
  return { violations, evidence, recoveries, folder };
}

/** No process ends but by a fault; one that did is started again, so that the run can go on. */
async function revive(installation: Installation): Promise<readonly string[]> {
  const { gateways, driver, discovery, sandboxes, supervisors } = installation;
  const boundaries = sandboxes.flatMap(({ boundary }) => (boundary === undefined ? [] : [boundary]));
  const dead = [...gateways, driver, discovery, ...boundaries].filter((each) => !each.alive());
  const deadSupervisors = [...supervisors.values()].filter(({ process }) => !process.alive());
  for (const each of [...dead, ...deadSupervisors]) await startAgain(each);
  return [...dead, ...deadSupervisors].map(({ name }) => `${name} ended by itself`);
}

/** All faults of a round, each at its time. */
async function runRound(installation: Installation, round: Round, beganAt: number, say: (line: string) => void): Promise<Done[]> {
  const startedAt = nowMs();
  return Promise.all(
    round.faults.map(async (fault) => {
      await sleep(Math.max(0, startedAt + (fault.at - round.at) - nowMs()));
      const done = await commit(installation, fault, beganAt);
      const seconds = (at: number): string => ((at - beganAt) / 1_000).toFixed(2);
      say(`${lineOf(fault)}  began at ${seconds(done.startedAt)} s, healed at ${seconds(done.healedAt)} s`);
      return done;
    }),
  );
}

export async function allBack(installation: Installation, watched: Watched, since: number, withinMs: number): Promise<void> {
  const rest = new Set(installation.sandboxes);
  while (rest.size > 0) {
    for (const sandbox of rest) if (isServed(installation, watched, sandbox.name, since)) rest.delete(sandbox);
    if (nowMs() - since > withinMs) throw new Error(`not served at the beginning: ${[...rest].map(({ name }) => name).join()}`);
    await sleep(LOOK_EVERY_MS);
  }
}

function isServed({ sandboxes, supervisors }: Installation, { prober, sights }: Watched, name: string, since: number): boolean {
  const facts = sandboxes.find((each) => each.name === name);
  return facts !== undefined && isBack(facts, prober.asked, sights.sights, [...supervisors.values()], since);
}

/** Which sandboxes were not back in time; waits for all of them, so that the next round begins on a whole installation. */
async function roundBack(
  installation: Installation,
  watched: Watched,
  round: Round,
  recent: readonly Done[],
  healedAt: number,
  onBack: (sandbox: string, tookMs: number, limitMs: number) => void,
): Promise<readonly string[]> {
  let stretch = stretchNow();
  const rest = new Set(installation.sandboxes);
  const missed: string[] = [];
  while (rest.size > 0) {
    // The load of the whole time counts, as it was at its worst.
    stretch = Math.max(stretch, stretchNow());
    for (const sandbox of rest) {
      const limitMs = boundMs(sandbox, round.faults, recent, stretch);
      const tookMs = nowMs() - healedAt;
      if (isServed(installation, watched, sandbox.name, healedAt)) {
        rest.delete(sandbox);
        onBack(sandbox.name, tookMs, limitMs);
        if (tookMs > limitMs)
          missed.push(`${sandbox.name} was served again after ${tookMs.toFixed(0)} ms, and ${limitMs.toFixed(0)} are allowed`);
      } else if (tookMs > GIVE_UP_FACTOR * limitMs) {
        rest.delete(sandbox);
        missed.push(`${sandbox.name} was not served again at all within ${tookMs.toFixed(0)} ms`);
      }
    }
    await sleep(LOOK_EVERY_MS);
  }
  return missed;
}
