/** Past this a wait has failed, whatever for; milliseconds. */
const LIMIT_MS = 60_000;

/** Looks again at each turn of the loop; the limit only turns a hang into a failure that says what was awaited. */
export async function until(what: string, holds: () => boolean, limitMs = LIMIT_MS): Promise<void> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms for: ${what}`);
    await new Promise<void>((resolve) => void setTimeout(resolve, 2));
  }
}
