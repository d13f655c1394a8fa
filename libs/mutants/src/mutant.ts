/** One rule of the product taken out, and nothing else changed. */
export interface Mutant {
  /** Stays the same while the rule does: the ledger of killers is kept by it. */
  readonly id: string;
  readonly kind: 'guard' | 'margin' | 'anchor' | 'trace';
  /** What a reader is told was removed. */
  readonly removes: string;
  readonly edits: readonly Edit[];
  /** Executions of `traces.ts` that this one brings back. */
  readonly traces: readonly string[];
}

/** Exactly this text at exactly this place, or the mutant is stale: code that has moved on must not pass for a mutant. */
export interface Edit {
  /** From the root of the workspace. */
  readonly file: string;
  readonly at: number;
  readonly was: string;
  readonly becomes: string;
}

/** As rows are written by hand: the text is to be found once in the file. */
export interface Change {
  readonly file: string;
  readonly find: string;
  readonly becomes: string;
}

export class StaleMutant extends Error {}

export function locate(source: string, { file, find, becomes }: Change): Edit {
  const at = source.indexOf(find);
  if (at < 0) throw new StaleMutant(`${file} no longer has: ${find}`);
  if (source.indexOf(find, at + 1) >= 0) throw new StaleMutant(`${file} has more than once: ${find}`);
  return { file, at, was: find, becomes };
}

/** The text of one file with all edits of it. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let text = source;
  for (const { file, at, was, becomes } of edits.toSorted((a, b) => b.at - a.at)) {
    if (text.slice(at, at + was.length) !== was) throw new StaleMutant(`${file} no longer has at ${at}: ${was}`);
    text = text.slice(0, at) + becomes + text.slice(at + was.length);
  }
  return text;
}
