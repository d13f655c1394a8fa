import { fencedKey, type Granted, type Standing, type Truth } from './truth.ts';

/** What one replica said, or let be held, of one host at one moment. */
export interface Seen {
  readonly host: string;
  readonly workspace: string;
  readonly endpoint: string;
  readonly epoch: bigint;
}

/** Everything that one reader might use at one moment, or what it was answered. */
export interface Sample {
  readonly by: string;
  readonly principal: string;
  /** By when it was asked, and when it had the answer; of what is held, both are the same. */
  readonly askedAt: number;
  readonly at: number;
  readonly records: readonly Seen[];
  /** Of what hosts this is all that there is; undefined: of all. */
  readonly ofHost: string | undefined;
  /** Since when it has heard nothing; undefined: it hears. */
  readonly darkSince: number | undefined;
}

/** A stretch in which nobody has to know everything: there is no store. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** For a change to come from the store to a reader, on a busy machine. */
export const HEARS_WITHIN_MS = 1_000;
/** How late the history may tell of what a reader knows already. */
const HISTORY_LATE_MS = 500;
/** Past its renewal: 15 s of lease, less the margin that discovery takes off. */
export const RECORD_LIFE_MS = 13_000;
/** Whoever was renewed so lately may be used for some time yet, whichever echo it was counted from. */
const SURE_LIFE_MS = 8_000;

/** Each sentence is one violation. */
export function judge(truth: Truth, samples: readonly Sample[], outages: readonly Outage[]): readonly string[] {
  return samples.flatMap((sample) => [...judgeNamed(truth, sample), ...judgeMissing(truth, sample, outages)]);
}

function* judgeNamed(truth: Truth, sample: Sample): Iterable<string> {
  const { by, principal, at, askedAt, records, darkSince } = sample;
  const since = Math.min(askedAt, darkSince ?? askedAt) - HEARS_WITHIN_MS;
  const stoodIn = ({ from, to }: Standing | Granted): boolean => from <= at + HISTORY_LATE_MS && to >= since;
  for (const { host, workspace, endpoint, epoch } of records) {
    const what = `${by} at ${at.toFixed(0)}: ${host} at ${endpoint}, epoch ${epoch}`;
    if (!truth.grants.some((each) => each.principal === principal && each.workspaces.has(workspace) && stoodIn(each)))
      yield `${what}: ${principal} may not see ${workspace}`;
    const same = truth.standings.filter((each) => each.host === host && each.endpoint === endpoint && each.epoch === epoch);
    const stood = same.filter(stoodIn);
    if (stood.length === 0) {
      const [ended, from] = [Math.max(...same.map(({ to }) => to)), Math.min(...same.map((each) => each.from))];
      if (same.length === 0) yield `${what}: the store never had it`;
      else if (from > at) yield `${what}: it came about ${(from - at).toFixed(0)} ms later`;
      else yield `${what}: it had ended ${(askedAt - ended).toFixed(0)} ms before`;
      continue;
    }
    const renewedAt = Math.max(
      ...stood.flatMap(({ sessionKey }) => truth.renewals.get(sessionKey) ?? []).filter((each) => each <= at + HISTORY_LATE_MS),
    );
    if (at > renewedAt + RECORD_LIFE_MS) yield `${what}: it was renewed ${(at - renewedAt).toFixed(0)} ms ago`;
    const next = truth.standings.find((each) => each.host === host && each.epoch > epoch && each.from <= at);
    if (next !== undefined && stood.some(({ sandboxId }) => truth.fenced.has(fencedKey(sandboxId, epoch))))
      yield `${what}: it was fenced, and epoch ${next.epoch} has begun`;
  }
}

function* judgeMissing(truth: Truth, sample: Sample, outages: readonly Outage[]): Iterable<string> {
  const { by, principal, at, askedAt, records, ofHost, darkSince } = sample;
  if (darkSince !== undefined || outages.some(({ from, to }) => at >= from && askedAt <= to)) return;
  const stands = ({ from, to }: Standing | Granted): boolean => from <= askedAt - HEARS_WITHIN_MS && to >= at;
  const granted = truth.grants.find((each) => each.principal === principal && stands(each));
  for (const standing of truth.standings) {
    const { host, workspace, endpoint, epoch, sessionKey } = standing;
    if (!stands(standing) || granted?.workspaces.has(workspace) !== true || (ofHost !== undefined && ofHost !== host)) continue;
    const isSure = truth.renewals.get(sessionKey)?.some((each) => each >= at - SURE_LIFE_MS && each <= askedAt - HEARS_WITHIN_MS);
    if (isSure !== true || records.some((each) => each.host === host && each.endpoint === endpoint && each.epoch === epoch))
      continue;
    yield `${by} at ${at.toFixed(0)}: ${host} at ${endpoint}, epoch ${epoch}, stands and is not there`;
  }
}
