import { sleep } from './until.ts';

const TRIES_MAX = 10;
const AGAIN_MS = 300;

/** On the same ports as before. A client's own end may sit on one of them for a moment: then it is tried again. */
export async function startAgain(what: { start(): Promise<void> }): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await what.start();
    } catch (error) {
      if (attempt === TRIES_MAX || !/in use|EADDRINUSE/.test(String(error))) throw error;
      await sleep(AGAIN_MS);
    }
  }
}
