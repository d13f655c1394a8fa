import { describeEtcd } from '@sallyport/store/testing/etcd';
import { expect, test } from 'vitest';
import { summaryOf } from './chaos/report.ts';
import { runChaos } from './chaos/run.ts';

/** The short form of `npm run chaos`: four rounds, and nothing that is waited out for long. */
const SHORT = { seed: 91, minutes: 1.8, faults: 9, short: true };

describeEtcd('chaos with real processes', () => {
  test('nine faults: every answer right or a refusal, no byte of a stale owner, all of it back by itself', async () => {
    const outcome = await runChaos(SHORT, console.log);
    if (outcome === undefined) throw new Error('it was stopped');
    for (const line of summaryOf(SHORT, outcome)) console.log(line);
    expect(outcome.violations).toEqual([]);
    expect(outcome.evidence.faults.length).toBeGreaterThanOrEqual(SHORT.faults);
  }, 600_000);
});
