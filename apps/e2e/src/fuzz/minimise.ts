/** Bytes and where they are cut: what a case is to the wire. */
export interface Cuttable {
  readonly bytes: string;
  readonly cuts: readonly number[];
}

const TRIES_MAX = 400;
/** Of cases that hang every try is a long one. */
const BUDGET_MS = 15_000;

/**
 * The smallest that still fails in the same way, by leaving parts out: halves first, then ever smaller ones.
 * @param fails runs it; never at the same time as another
 */
export async function minimise<C extends Cuttable>(subject: C, fails: (smaller: C) => Promise<boolean>): Promise<C> {
  let best = subject;
  let tries = 0;
  const startedAt = performance.now();
  const spent = (): boolean => tries >= TRIES_MAX || performance.now() - startedAt > BUDGET_MS;
  const attempt = async (smaller: C): Promise<boolean> => {
    tries++;
    if (!(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  if (best.cuts.length > 0) await attempt({ ...best, cuts: [] });
  for (let size = best.bytes.length >> 1; size >= 1 && !spent(); size >>= 1) {
    for (let at = 0; at < best.bytes.length && !spent(); ) {
      if (!(await attempt(without(best, at, size)))) at += size;
    }
  }
  return best;
}

function without<C extends Cuttable>(subject: C, at: number, size: number): C {
  const { bytes, cuts } = subject;
  const moved = cuts.map((cut) => (cut <= at ? cut : Math.max(at, cut - size)));
  const shorter = bytes.slice(0, at) + bytes.slice(at + size);
  const kept = [...new Set(moved)].filter((cut) => cut > 0 && cut < shorter.length);
  return { ...subject, bytes: shorter, cuts: kept };
}

/** As a string of JavaScript, one line, every byte visible. */
export const escaped = (bytes: string): string =>
  JSON.stringify(bytes)
    .replace(/\\u00([0-9a-f]{2})/g, '\\x$1')
    .replace(/[\x7f-\xff]/g, (each) => `\\x${each.charCodeAt(0).toString(16)}`);
