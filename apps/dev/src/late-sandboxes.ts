import type { PoolId } from '@sallyport/model';
import type { Process } from '@sallyport/process';
import type { Stack } from './stack.ts';

/** Looks for sandboxes that were registered after the start and are to have a supervisor of their own. */
export interface LateSandboxes {
  stop(): void;
}

const LOOK_EVERY_MS = 500;
/** Supervisors that are started for sandboxes of later: one machine has no room for more. */
const LATE_MAX = 64;
const ANY_PORT = 0;

/** Each of them gets a supervisor on a free port; `supervised` are the pools that have one. */
export function superviseLate(
  stack: Pick<Stack, 'operator' | 'supervise'>,
  supervised: Iterable<string>,
  { clock, log }: Pick<Process, 'clock' | 'log'>,
): LateSandboxes {
  const known = new Set(supervised);
  const startCount = known.size;
  let busy = false;
  let full = false;

  async function look(): Promise<void> {
    for (const { name, mode, poolId } of await stack.operator.sandboxes()) {
      if (mode !== 'dedicated' || known.has(poolId)) continue;
      if (known.size - startCount >= LATE_MAX) {
        if (!full) log.warn({ poolId, max: LATE_MAX }, 'no more supervisors are started for sandboxes that come later');
        full = true;
        return;
      }
      known.add(poolId);
      await stack.supervise(poolId as PoolId, ANY_PORT, 1).catch((error: Error) => {
        log.error({ poolId, err: error }, `the supervisor of ${name} did not start: delete the sandbox and register it again`);
      });
    }
  }

  const cancel = clock.every(LOOK_EVERY_MS, () => {
    if (busy) return;
    busy = true;
    void look().finally(() => {
      busy = false;
    });
  });
  return { stop: cancel };
}
