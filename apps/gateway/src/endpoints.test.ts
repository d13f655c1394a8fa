import { createScene, POOL, SANDBOX } from '@sallyport/authority/testing';
import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { createEndpoints, DRIVER_GRACE_MS } from './endpoints.ts';

const ENDPOINT = { address: '10.0.0.1', port: 8443, podUid: 'uid-m0' };
const AWAY = failure('not-ready', 'the driver is away');

function open() {
  const scene = createScene();
  const clock = createManualClock(1_000);
  const driver = { says: ok(ENDPOINT) as Result<typeof ENDPOINT, Failure>, asked: 0 };
  const resolve = createEndpoints(
    scene.world,
    {
      endpoint: async () => {
        driver.asked += 1;
        return driver.says;
      },
    },
    clock,
  );
  const session = scene.session('m0', 's0');
  return { scene, clock, driver, ask: () => resolve(session) };
}

test('reports of one beat share a question, those of the next do not', async () => {
  const { clock, driver, ask } = open();
  await ask();
  clock.advance(999);
  await ask();
  expect(driver.asked).toBe(1);
  clock.advance(1);
  await ask();
  expect(driver.asked).toBe(2);
});

test('a driver that is away for a moment takes no endpoint with it', async () => {
  const { clock, driver, ask } = open();
  await ask();
  driver.says = err(AWAY);
  clock.advance(DRIVER_GRACE_MS - 1);
  expect(await ask()).toEqual(ok(ENDPOINT));
  clock.advance(1);
  expect(await ask()).toEqual(err(AWAY));
});

test('one that knows of no endpoint does, at once', async () => {
  const { clock, driver, ask } = open();
  await ask();
  driver.says = err(failure('unknown', 'no Pod'));
  clock.advance(1_000);
  expect(await ask()).toEqual(driver.says);
});

test('a member that has left has none', async () => {
  const { scene, driver, ask } = open();
  scene.leave('m0');
  expect((await ask()).ok).toBe(false);
  scene.remove({ kind: 'sandbox', sandboxId: SANDBOX });
  expect([(await ask()).ok, driver.asked, scene.world.members(POOL).size]).toEqual([false, 0, 1]);
});
