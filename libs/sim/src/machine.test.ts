import { expect, test } from 'vitest';
import { createRandom } from './random.ts';
import { createSchedule } from './time/schedule.ts';
import { createSimProcess } from './time/sim-process.ts';

function world(rate = 1) {
  const schedule = createSchedule();
  const process = createSimProcess({ name: 'p.1', schedule, random: createRandom(1), rate, wallOriginMs: 1_000_000 });
  const started = process.clock.now();
  return {
    schedule,
    process,
    ran: () => process.clock.now() - started,
    run: (until: number) => schedule.run(until, () => 'go on'),
  };
}

test("a process's clock runs at its own rate", async () => {
  const { run, ran } = world(1.01);
  await run(10_000);
  expect(ran()).toBeCloseTo(10_100, 3);
});

test('a paused process hears nothing and runs no timer until it wakes; its clock goes on', async () => {
  const { schedule, process, run, ran } = world();
  const heard: string[] = [];
  const note = (what: string) => () => void heard.push(`${what} at ${schedule.now()}`);
  process.clock.at((process.clock.now() + 2_000) as never, note('timer'));
  schedule.after(3_000, { who: 'p.1', does: '' }, () => process.deliver('message', note('message')));
  process.pause(5_000);
  await run(10_000);
  expect(heard.sort()).toEqual(['message at 5000', 'timer at 5000']);
  expect(ran()).toBe(10_000);
});

test('a suspended machine stands still, and its clock jumps with the wall when it goes on', async () => {
  const { process, run, ran } = world();
  process.suspend(5_000);
  const steady = process.clock.steadyMs();
  await run(8_000);
  expect(ran()).toBeGreaterThanOrEqual(7_999);
  expect(process.clock.steadyMs() - steady).toBe(3_000);
});

test('nothing of a dead process runs', async () => {
  const { schedule, process, run } = world();
  let ranAfter = false;
  const act = (): void => {
    ranAfter = true;
  };
  process.clock.at((process.clock.now() + 1_000) as never, act);
  process.kill();
  schedule.after(500, { who: 'p.1', does: '' }, () => process.deliver('message', act));
  await run(5_000);
  expect(ranAfter).toBe(false);
});
