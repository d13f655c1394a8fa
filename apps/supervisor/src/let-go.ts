import { later } from '@sallyport/model';
import { type Clock, wait } from '@sallyport/process';
import type { Following } from './follow-gateway.ts';
import type { Hosted } from './hosted.ts';

/** After letting go unasked, how long the gateway's word is waited for. */
const UNASKED_WAIT_MS = 1_000;
const LOOK_EVERY_MS = 20;

/**
 * Gives up what this member owns before it ends: first by handing over to a successor, which the gateway arranges; what nobody
 * took in time is let go unasked, since an owner that just vanished would have to be waited out.
 */
export async function letGo({
  following,
  clock,
  waitMs,
  deadline,
}: {
  readonly following: Following;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly deadline: AbortSignal;
}): Promise<void> {
  const held = (): Hosted[] => [...following.hosted()].filter(holds);
  const until = async (ms: number): Promise<void> => {
    const end = later(clock.now(), ms);
    while (following.joined() && held().length > 0 && clock.now() < end) {
      if ((await wait(clock, LOOK_EVERY_MS, deadline)) === 'aborted') return;
    }
  };
  await until(waitMs);
  const rest = held();
  for (const hosted of rest) hosted.step({ kind: 'let-go' });
  if (rest.length > 0) await until(UNASKED_WAIT_MS);
}

const holds = (hosted: Hosted): boolean => {
  const { ownership, standing, releasing } = hosted.state();
  return ownership.state === 'owned' && (!standing.released || releasing !== undefined);
};
