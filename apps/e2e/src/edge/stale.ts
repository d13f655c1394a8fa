/** A connection that an edge began at a supervisor. Times are milliseconds of one clock. */
export interface Began {
  readonly edge: string;
  readonly host: string;
  readonly endpoint: string;
  readonly at: number;
}

/** What an edge heard of a host: where it is; without an endpoint, that it may be used no more. */
export interface Heard {
  readonly edge: string;
  readonly host: string;
  readonly endpoint?: string;
  readonly at: number;
}

/** Where discovery said that the host is, at some moment between the question and its answer. */
export interface Shown {
  readonly at: number;
  readonly answeredAt: number;
  readonly endpoint: string;
}

/** An edge reads the clock once in 5 ms, and its log has whole milliseconds: two of its own times compare no finer. */
export const SAME_MOMENT_MS = 10;
/** The edge's own way to hear of what discovery shows already. */
export const HEARS_LATE_MS = 1_000;

/** Begun at a place that the edge itself knew better of: this never happens, however busy the machine is. */
export function begunAgainstOwnKnowledge(began: readonly Began[], heard: readonly Heard[]): readonly Began[] {
  const heardBy = Map.groupBy(heard, keyOf);
  return began.filter((each) => {
    const of = heardBy.get(keyOf(each)) ?? [];
    const before = of.findLast(({ at }) => at <= each.at - SAME_MOMENT_MS);
    const about = of.filter(({ at }) => Math.abs(at - each.at) < SAME_MOMENT_MS);
    return ![before, ...about].some((known) => known?.endpoint === each.endpoint);
  });
}

/**
 * Begun at a place that discovery had shown before, more than {@link HEARS_LATE_MS} after it had answered with another. An answer proves
 * only what was so once it had been asked: where the looks are far apart, because the machine is busy, nothing is proved between them.
 */
export function begunAfterShown(began: readonly Began[], shown: readonly Shown[]): readonly Began[] {
  return began.filter(({ endpoint, at }) => {
    const newer = shown.findLast((look) => look.answeredAt <= at - HEARS_LATE_MS);
    if (newer === undefined || newer.endpoint === endpoint) return false;
    const was = shown.some((look) => look.endpoint === endpoint && look.at < newer.at);
    const is = shown.some((look) => look.endpoint === endpoint && look.answeredAt > newer.at && look.at <= at + HEARS_LATE_MS);
    return was && !is;
  });
}

const keyOf = ({ edge, host }: Pick<Heard, 'edge' | 'host'>): string => `${edge} ${host}`;
