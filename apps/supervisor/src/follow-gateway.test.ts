import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { joinResponseMessage, type supervisorV1 } from '@sallyport/wire';
import { expect, test } from 'vitest';
import { followGateway } from './follow-gateway.ts';
import type { GatewayPort } from './gateway-port.ts';

type Does = 'is silent' | 'refuses' | 'accepts and ends';

/** Joins by the script through one gateway; for how long each that was not answered was waited for. */
function joinsThrough(script: readonly Does[]) {
  const clock = createManualClock();
  const waitedMs: number[] = [];
  let calls = 0;
  const join: GatewayPort['join'] = (signal) => {
    const does = script[calls++] ?? 'is silent';
    const since = clock.now();
    const closed = Promise.withResolvers<undefined>();
    async function* received(): AsyncGenerator<supervisorV1.JoinResponse> {
      if (does === 'accepts and ends')
        yield joinResponseMessage({ kind: 'accepted', joinId: 'j' as never, gatewayId: 'g' as never });
      if (does === 'is silent') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        waitedMs.push(clock.now() - since);
      }
      closed.resolve(undefined);
    }
    return { send: () => true, fail: () => undefined, closed: closed.promise, received: received() } as never;
  };
  const following = followGateway({
    gateways: [{ join } as unknown as GatewayPort],
    memberId: 'm' as never,
    poolId: 'p' as never,
    credential: () => 'c',
    delivery: 'push',
    advertises: false,
    memberState: () => ({}) as never,
    host: () => ({}) as never,
    random: () => 0,
    clock,
    log: createLog({ level: 'silent' }),
  });
  return { clock, waitedMs, stop: () => following.stop() };
}

const rows: [title: string, script: Does[], waitedMs: number[]][] = [
  [
    'is given twice as long each time, to a limit',
    ['is silent', 'is silent', 'is silent', 'is silent'],
    [3_000, 6_000, 12_000, 12_000],
  ],
  ['is given as long as at first once it has answered', ['is silent', 'accepts and ends', 'is silent'], [3_000, 3_000]],
  ['also if its answer is no', ['is silent', 'refuses', 'is silent'], [3_000, 3_000]],
];
test.each(rows)('a gateway that does not answer a Join %s', async (_title, script, want) => {
  const { clock, waitedMs, stop } = joinsThrough(script);
  await clock.advanceAsync(60_000);
  expect(waitedMs.slice(0, want.length)).toEqual(want);
  await stop();
});
