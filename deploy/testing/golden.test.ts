import { expect, test } from 'vitest';
import { describeHelm } from './describe-helm.ts';
import { goldenFile, lint, render, SCENARIOS, valuesFile } from './helm.ts';

/**
 * What each scenario renders to, whole, for people to read what a change does. All other tests of the chart go by these files. After a
 * change: `npm test -- deploy/testing/golden.test.ts -u`, read the difference, and commit it only if you can explain it.
 */
describeHelm('the chart', () => {
  test('lints', async () => expect(await lint()).toContain('0 chart(s) failed'));
  test.each(SCENARIOS)('renders %s to its golden file', async (scenario) => {
    const rendered = await render('--values', valuesFile(scenario));
    await expect(rendered.ok ? rendered.text : rendered.error).toMatchFileSnapshot(goldenFile(scenario));
  });
});
