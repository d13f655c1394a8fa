import { ask } from './client.ts';
import type { Member, Rig } from './rig.ts';

/** How much faster a gateway's clock runs where a test would have to sit out its graces. */
export const FAST = 5;
/** Of the gateway's own clock: nobody is suspected before. */
const GRACE_MS = 20_000;
export const SECOND = 1_000;
const SERVED_WITHIN_MS = 60_000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const figure = (what: string, ms: number): void => console.log(`boundary: ${what}: ${(ms / SECOND).toFixed(2)} s`);

/** How long until this member answers for the sandbox. */
export async function untilServedBy(rig: Rig, { port }: Member): Promise<number> {
  const startedAt = performance.now();
  while ((await ask(rig, port)).status !== 200) {
    if (performance.now() - startedAt > SERVED_WITHIN_MS) throw new Error('it does not serve');
    await pause(20);
  }
  return performance.now() - startedAt;
}

export async function pastTheGrace(rig: Rig): Promise<void> {
  rig.gatewayClock.setRate(FAST);
  await pause(GRACE_MS / FAST + SECOND);
  rig.gatewayClock.setRate(1);
}
