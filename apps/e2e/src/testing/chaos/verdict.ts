import { judgeAnswers } from './answered.ts';
import { judgeDeliveries } from './delivered.ts';
import type { Asked, Evidence, Sight } from './evidence.ts';
import { type Tenure, tenuresOf, WATCH_LATE_MS } from './tenures.ts';

/** A record may be used no longer than the lease that its owner held when it lost the sandbox. */
const LEASE_MS = 15_000;

/** Everything that must hold, whatever was broken: each sentence is one violation. */
export function judge(evidence: Evidence): readonly string[] {
  const asked = new Map<string, Asked>(evidence.asked.map((each) => [each.id, each]));
  return [
    ...judgeDeliveries(evidence, asked),
    ...judgeAnswers(evidence),
    ...evidence.sandboxes.flatMap(({ name }) => [...judgeSights(evidence, name)]),
    ...judgeWorkloads(evidence),
  ];
}

/** Shown is only who owns it, or owned it so lately that its lease still lasts. */
function* judgeSights(evidence: Evidence, sandbox: string): Iterable<string> {
  const tenures = tenuresOf(evidence, sandbox);
  for (const sight of evidence.sights) {
    if (sight.sandbox !== sandbox || sight.shown === undefined) continue;
    const listener = evidence.listeners.find(({ port }) => port === sight.shown?.port)?.name;
    const own = tenures.filter((tenure) => tenure.listener === listener && tenure.beganAt <= sight.answeredAt + WATCH_LATE_MS);
    const until = sight.askedAt + sight.shown.ttlMs;
    if (own.length === 0) yield `${sandbox}: ${listener ?? sight.shown.port} was shown and had never owned it`;
    else if (until > endOf(own) + LEASE_MS)
      yield `${sandbox}: ${listener} was shown for ${(until - endOf(own)).toFixed(0)} ms beyond the end of its ownership${at(sight)}`;
  }
}

const endOf = (tenures: readonly Tenure[]): number =>
  Math.max(...tenures.map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY));
const at = ({ askedAt }: Sight): string => `, asked at ${askedAt.toFixed(0)}`;

/** The workload is never touched: the same process, the same memory. */
function* judgeWorkloads({ before, after, sandboxes }: Evidence): Iterable<string> {
  for (const { name } of sandboxes) {
    const was = before.find(({ sandbox }) => sandbox === name);
    const is = after.find(({ sandbox }) => sandbox === name);
    if (was === undefined || is === undefined) {
      yield `${name}: its workload does not answer`;
      continue;
    }
    for (const key of ['pid', 'startedAtTicks', 'life', 'digest'] as const)
      if (was[key] !== is[key]) yield `${name}: the workload's ${key} was ${was[key]} and is ${is[key]}`;
    if (is.count < was.count) yield `${name}: the workload counted ${was.count} and then ${is.count}`;
  }
}
