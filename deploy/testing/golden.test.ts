import { expect, test } from 'vitest';
import { goldenFile, helm, lint, render, SCENARIOS, valuesFile, WITH_HELM } from './helm.ts';

test.skipIf(helm === undefined)(`${WITH_HELM}: lint finds nothing`, async () => {
  expect(await lint()).toContain('0 chart(s) failed');
});

/**
 * What each scenario renders to, whole, for people to read what a change does. All other tests of the chart go by these files. After a
 * change: `npm test -- deploy/testing/golden.test.ts -u`, read the difference, and commit it only if you can explain it.
 */
test.skipIf(helm === undefined).each(SCENARIOS)(`${WITH_HELM}: %s renders to its golden file`, async (scenario) => {
  const rendered = await render('--values', valuesFile(scenario));
  await expect(rendered.ok ? rendered.text : rendered.error).toMatchFileSnapshot(goldenFile(scenario));
});
