import { livelyMs } from '@sallyport/process/lively';

const LOOK_EVERY_MS = 20;

export const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Waits until something is so, and says how long that took of the time that this process really had; milliseconds. What throws is not so yet. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean, withinMs: number): Promise<number> {
  const from = livelyMs();
  let last = '';
  for (;;) {
    try {
      if (await isSo()) return livelyMs() - from;
    } catch (error) {
      last = `: ${(error as Error).message}`;
    }
    if (livelyMs() - from > withinMs) throw new Error(`not so after ${withinMs} ms: ${what}${last}`);
    await sleep(LOOK_EVERY_MS);
  }
}
