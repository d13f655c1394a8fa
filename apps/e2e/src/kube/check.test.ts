import { type KubeStage, openKubeStage } from '@sallyport/driver/testing';
import { DRIVER_RULES, DRIVER_USER, REVIEW_RULES, until } from '@sallyport/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, openInstallation } from '../testing/kube/installation.ts';

/** What an operator is told by the gateway, by way of the driver, of what the API server lets the driver do. */
let stage: KubeStage;
let installation: Installation;
beforeAll(async () => {
  stage = await openKubeStage();
  installation = await openInstallation(await stage.driver());
  await until('the Pods', () => stage.api.watches.count === 1);
});
afterAll(async () => {
  await installation.close();
  await stage.close();
});

async function findings(): Promise<readonly string[]> {
  const answer = await installation.operator.check();
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.findings.map(({ name, ok }) => `${ok ? '+' : '-'} ${name}`);
}
const failing = async () => (await findings()).filter((each) => each.startsWith('-'));

test('with the rules of the documentation all is well', async () => {
  expect(await findings()).toEqual([
    '+ store',
    '+ authority',
    '+ driver',
    '+ driver view',
    '+ driver pods',
    '+ driver events',
    '+ driver tokenreviews',
    '+ driver pods/exec',
    '+ driver accounts',
  ]);
});
test.each([
  ['reviews', DRIVER_RULES, ['- driver tokenreviews']],
  ['Events', [...DRIVER_RULES.slice(0, 1), ...REVIEW_RULES], ['- driver events']],
  ['anything', [], ['- driver pods', '- driver events', '- driver tokenreviews']],
] as const)('without leave for %s', async (_title, rules, want) => {
  stage.api.rbac.grant(DRIVER_USER, [{ rules }]);
  expect(await failing()).toEqual(want);
});
test('without a driver', async () => {
  await installation.driver.stop();
  expect(await failing()).toEqual(['- driver']);
  await installation.driver.start();
});
