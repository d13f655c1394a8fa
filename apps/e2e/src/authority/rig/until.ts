const LOOK_EVERY_MS = 20;

export const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Waits until something is so, and says how long it took; milliseconds. What throws is not so yet. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean, withinMs: number): Promise<number> {
  const from = performance.now();
  let last = '';
  for (;;) {
    try {
      if (await isSo()) return performance.now() - from;
    } catch (error) {
      last = `: ${(error as Error).message}`;
    }
    if (performance.now() - from > withinMs) throw new Error(`not so after ${withinMs} ms: ${what}${last}`);
    await sleep(LOOK_EVERY_MS);
  }
}
