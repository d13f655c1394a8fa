import type { Limits } from '@sallyport/proxy';
import type { Stage, Way } from '../stage/stage.ts';

/** One case. Those of the specification keep its ids; their neighbours have an `n` before the number. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** The row is a test of its own in each of them. */
  readonly ways: readonly Way[];
  /** Where the rule is one of time, scaled down; or a limit that the row is about. */
  readonly limits?: Partial<Limits>;
  readonly run: (stage: Stage) => Promise<void>;
}

/** For what a parser judges: the segments and the state of the connection must not matter. */
export const PARSED: readonly Way[] = ['whole', 'single-bytes', 'second'];
export const ONCE: readonly Way[] = ['whole'];

export function row(id: string, title: string, run: Row['run'], options: Partial<Pick<Row, 'ways' | 'limits'>> = {}): Row {
  return { id, title, run, ways: ONCE, ...options };
}
