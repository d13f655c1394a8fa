import { expect, test } from 'vitest';
import { fuzzCase } from './testing/fuzz.ts';

/** `nx run edge:fuzz` runs a million; these few are the same ones each time. */
const CASES = 5_000;

test(`${CASES} mutated hellos are read as they are meant, in whatever segments`, () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= CASES; seed += 1) {
    const { read, means } = fuzzCase(seed);
    if (read !== means) expect(read, `seed ${seed}`).toBe(means);
    const kind = read.startsWith('!') || read === 'more' ? read : 'hello';
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
  // A fuzzer that comes to one answer only tries nothing.
  for (const kind of ['hello', 'more', '! not-tls', '! malformed', '! too-large', '! no-server-name', '! server-name-bad'])
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(10);
});
