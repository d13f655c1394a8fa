import { failure, ok } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { untilTaken } from './operator.ts';

const busy = { ok: false, error: failure('not-ready', 'the store does not answer') } as const;
const refused = { ok: false, error: failure('conflict', 'the name is taken') } as const;

async function outcome(ask: (times: number) => typeof busy | typeof refused | { ok: true; value: string }, stop = false) {
  const clock = createManualClock();
  const stopping = new AbortController();
  let times = 0;
  const taken = untilTaken(async () => ask(++times), { clock, stopping: stopping.signal });
  const told = taken.catch((error: Error) => error.message);
  if (stop) stopping.abort();
  await clock.advanceAsync(60_000);
  return { said: await told, times };
}

test('what is taken at once is asked once', async () => {
  expect(await outcome(() => ok('done'))).toEqual({ said: 'done', times: 1 });
});

test('a store that needs a moment is asked again', async () => {
  expect(await outcome((times) => (times < 4 ? busy : ok('done')))).toEqual({ said: 'done', times: 4 });
});

test('one that never answers ends the start, with what to do', async () => {
  const { said, times } = await outcome(() => busy);
  expect(said).toMatch(/^the store does not answer; asked for 30 s: .*--log-level=debug/);
  expect(times).toBe(121);
});

test('a refusal is final', async () => {
  expect(await outcome(() => refused)).toEqual({ said: 'the name is taken', times: 1 });
});

test('whoever ends the start need not wait for it', async () => {
  expect((await outcome(() => busy, true)).times).toBe(1);
});

test('without a process to wait with, it is asked once', async () => {
  let times = 0;
  const ask = async () => {
    times += 1;
    return busy;
  };
  await expect(untilTaken(ask, undefined)).rejects.toThrow('the store does not answer');
  expect(times).toBe(1);
});
