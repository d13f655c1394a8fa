import type { Mode } from '@sallyport/authority';
import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { superviseLate } from './late-sandboxes.ts';

const clock = createManualClock();
const log = createLog({ level: 'silent' });

async function supervisedOf(
  sandboxes: readonly { readonly name: string; readonly mode: Mode; readonly poolId: string }[],
  fails = false,
): Promise<readonly string[]> {
  const started: string[] = [];
  const late = superviseLate(
    {
      operator: { sandboxes: async () => sandboxes } as never,
      async supervise(poolId) {
        started.push(poolId);
        if (fails) throw new Error('no room');
      },
    },
    ['first'],
    { clock, log },
  );
  await clock.advanceAsync(2_000);
  late.stop();
  return started;
}

const own = (poolId: string) => ({ name: `team/${poolId}`, mode: 'dedicated' as const, poolId });

test('a sandbox of its own that comes later gets one supervisor', async () => {
  expect(await supervisedOf([own('first'), own('late')])).toEqual(['late']);
});
test('shared ones have theirs', async () => {
  expect(await supervisedOf([{ name: 'team/a', mode: 'shared', poolId: 'dev' }])).toEqual([]);
});
test('one that cannot be started is not tried for ever, and the next one is', async () => {
  expect(await supervisedOf([own('bad'), own('next')], true)).toEqual(['bad', 'next']);
});
test('there is an end', async () => {
  expect(await supervisedOf(Array.from({ length: 100 }, (_, index) => own(`late-${index}`)))).toHaveLength(64);
});
