import { createMetrics } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import type { CommitOutcome, Store } from '@sallyport/store';
import { expect, test } from 'vitest';
import { createGatewayMetrics } from './metrics.ts';

const outcomes: [kind: CommitOutcome['kind'], outcome: object][] = [
  ['committed', { revision: 7n }],
  ['refused', { revision: 7n, failed: [0] }],
  ['unknown', { message: 'no answer' }],
];

test.each(outcomes)('a commit that is %s is timed under its outcome and passed on', async (kind, rest) => {
  const clock = createManualClock(1_000);
  const metrics = createMetrics();
  const outcome = { kind, ...rest } as CommitOutcome;
  const store = {
    async commit() {
      clock.advance(700);
      return outcome;
    },
  } as unknown as Store;
  const measured = createGatewayMetrics(metrics, clock).measured(store);
  expect(await measured.commit({ guards: [], changes: [] })).toBe(outcome);
  const text = await metrics.text();
  expect(text).toContain(`sallyport_gateway_commit_duration_seconds_sum{outcome="${kind}"} 0.7\n`);
  expect(text).toContain(`sallyport_gateway_commit_duration_seconds_bucket{le="0.5",outcome="${kind}"} 0\n`);
  expect(text).toContain(`sallyport_gateway_commit_duration_seconds_bucket{le="1",outcome="${kind}"} 1\n`);
});
test('a commit that is never answered because it was a mistake is no outcome', async () => {
  const metrics = createMetrics();
  const store = {
    commit: () => Promise.reject(new RangeError('too many')),
  } as unknown as Store;
  const measured = createGatewayMetrics(metrics, createManualClock(0)).measured(store);
  await expect(measured.commit({ guards: [], changes: [] })).rejects.toThrow(RangeError);
  expect(await metrics.text()).not.toContain('outcome=');
});
test('a lost owner is counted', async () => {
  const metrics = createMetrics();
  const seen = createGatewayMetrics(metrics, createManualClock(0));
  seen.owned('fencing');
  seen.owned('offered');
  seen.owned('fencing');
  expect(await metrics.text()).toContain('sallyport_gateway_ownership_moves_total{to="fencing"} 2\n');
});
