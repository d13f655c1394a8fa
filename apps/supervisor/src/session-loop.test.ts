import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { sessionResponseMessage, type supervisorV1 } from '@sallyport/wire';
import { expect, test } from 'vitest';
import type { GatewayPort } from './gateway-port.ts';
import type { Hosted } from './hosted.ts';
import { keepSession } from './session-loop.ts';

type Response = supervisorV1.SessionResponse;

const accepted = sessionResponseMessage({ kind: 'accepted', sessionId: 's' as never, gatewayId: 'g' as never });

/** A gateway that accepts each session and ends it after so long, and when sessions were opened. */
function gatewayThatEndsAfter(ms: number) {
  const clock = createManualClock();
  const stop = new AbortController();
  const openedAt: number[] = [];
  const session: GatewayPort['session'] = () => {
    openedAt.push(clock.now());
    const { promise: closed, resolve } = Promise.withResolvers<undefined>();
    async function* received(): AsyncGenerator<Response> {
      yield accepted;
      await new Promise<void>((ended) => void clock.at((clock.now() + ms) as never, ended));
      resolve(undefined);
    }
    return { send: () => true, closed, received: received() } as never;
  };
  const hosted = {
    assignment: { sandboxId: 'b', runtimeId: 'r' },
    attach: () => undefined,
    step: () => undefined,
  } as unknown as Hosted;
  void keepSession({
    hosted,
    memberId: 'm' as never,
    credential: () => 'c',
    capabilities: { advertisements: true, push: true },
    gateway: () => ({ session }) as unknown as GatewayPort,
    onAccepted: () => undefined,
    random: () => 1,
    clock,
    log: createLog({ level: 'silent' }),
    signal: stop.signal,
  });
  return { clock, openedAt, stop: () => stop.abort() };
}

const rows: [title: string, endsAfterMs: number, gaps: number[]][] = [
  ['a session that ends at once is opened again ever later', 0, [100, 200, 400, 800, 1_500, 1_500]],
  ['one that has lasted is opened again at once', 20_000, [20_100, 20_100, 20_100]],
];
test.each(rows)('%s', async (_title, endsAfterMs, gaps) => {
  const { clock, openedAt, stop } = gatewayThatEndsAfter(endsAfterMs);
  await clock.advanceAsync(gaps.reduce((sum, gap) => sum + gap, 0) + 100);
  stop();
  const seen = openedAt.slice(1).map((at, index) => at - (openedAt[index] ?? 0));
  expect(seen.slice(0, gaps.length - 1)).toEqual(gaps.slice(0, -1));
});
