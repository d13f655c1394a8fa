import { call, gatewayV1 } from '@sallyport/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POOL, type Stage, startStage } from './misuse/stage.ts';
import { sleep, until } from './rig/until.ts';

const methods = gatewayV1.GatewayServiceService;
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

test('with its listener off a supervisor binds no port and asks for no lease; everything else works', async () => {
  const { supervisor } = await stage.supervise({ listens: false });
  const operator = await stage.link('operator', undefined);
  const options = { deadlineMs: 30_000, bearer: await stage.pki.operatorToken({ kind: 'admin' }) };
  const name = { workspace: 'team', sandbox: 'box' };
  await call(operator, methods.registerSandbox, { name, mode: 2, poolId: POOL, runtimeId: 'r1' }, options);
  await call(operator, methods.exposeService, { name: { ...name, service: 'web' }, port: 8_080, policy: undefined }, options);

  expect(supervisor.appPort).toBeUndefined();
  expect(supervisor.listens).toEqual({});
  await until(
    'its configuration is installed',
    () => [...supervisor.hosted()].some((hosted) => hosted.routes().length === 1),
    60_000,
  );
  const [hosted] = supervisor.hosted();
  await until('it owns the sandbox', () => hosted?.state().ownership.state === 'owned', 60_000);
  // Past a whole tick: it would have been challenged by now.
  await sleep(6_500);
  expect(hosted?.state().standing.leaseUntil ?? 0).toBeLessThanOrEqual(0);
  expect([...(await stage.records()).keys()].filter((key) => key.includes('/installation/'))).toEqual([]);
  await expect.poll(() => hosted?.unansweredMs()).toBeLessThan(5_000);
  expect(supervisor.ready().map(({ ok, detail }) => [ok, detail])).toEqual([
    [true, 'joined'],
    [true, 'off'],
  ]);
});
