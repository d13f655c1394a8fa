import { DRIVER_RULES, DRIVER_USER, type PolicyRule, REVIEW_RULES, SLICE_RULES } from '@sallyport/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkSelf } from './kube-self-check.ts';
import { type KubeStage, openKubeStage } from './testing/kube-stage.ts';

let stage: KubeStage;
beforeEach(async () => {
  stage = await openKubeStage();
});
afterEach(() => stage.close());

const ALL: readonly PolicyRule[] = [...DRIVER_RULES, ...REVIEW_RULES, ...SLICE_RULES];
const OPTIONS = { namespaces: [], endpointSlices: true, appEndpoints: true, accounts: ['sallyport/supervisor'] };

async function findings(change: Partial<Parameters<typeof checkSelf>[0]> = {}): Promise<Readonly<Record<string, string>>> {
  const { client } = await stage.connect();
  const found = await checkSelf({ client, options: OPTIONS, ageMs: 1_000, ...change });
  for (const { ok, nextStep } of found) expect(nextStep === '').toBe(ok);
  return Object.fromEntries(found.map(({ name, ok, detail }) => [name, `${ok ? '+' : '-'} ${detail}`]));
}

test('with the rules of the documentation all is well', async () => {
  expect(await findings()).toEqual({
    view: '+ heard of the Pods 1 s ago',
    pods: '+ may get, list, watch',
    events: '+ may create',
    tokenreviews: '+ may create',
    endpointslices: '+ may list, watch',
    'pods/exec': '+ may not run commands in Pods, as it should be',
    accounts: '+ takes supervisors of 1 service account',
  });
});
test('asking uses nothing up: a rule that is surplus stays so', async () => {
  const before = stage.api.rbac.unused(DRIVER_USER);
  await findings();
  expect(stage.api.rbac.unused(DRIVER_USER)).toEqual(before);
  expect(stage.api.rbac.refused(DRIVER_USER)).toEqual([]);
});
test('EndpointSlices are not asked about where they are not followed', async () => {
  expect(await findings({ options: { ...OPTIONS, endpointSlices: false } })).not.toHaveProperty('endpointslices');
});

test('nor about single Pods where no address is given away', async () => {
  stage.api.rbac.grant(DRIVER_USER, [{ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }] }]);
  expect((await findings({ options: { ...OPTIONS, appEndpoints: false } })).pods).toBe('+ may list, watch');
});

describe('it says what is not so', () => {
  const without = (resource: string, verb: string): readonly PolicyRule[] =>
    ALL.map((rule) =>
      rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } : rule,
    );
  const missing: [resource: string, verb: string][] = [
    ['pods', 'get'],
    ['pods', 'list'],
    ['pods', 'watch'],
    ['events', 'create'],
    ['tokenreviews', 'create'],
    ['endpointslices', 'list'],
    ['endpointslices', 'watch'],
  ];
  test.each(missing)('%s: no %s', async (resource, verb) => {
    stage.api.rbac.grant(DRIVER_USER, [{ rules: without(resource, verb) }]);
    const found = await findings();
    expect(found[resource]).toBe(`- may not ${verb} ${resource} in the whole cluster`);
    expect(Object.values(found).filter((text) => text.startsWith('-'))).toHaveLength(1);
  });
  test('one namespace of two', async () => {
    stage.api.rbac.grant(DRIVER_USER, [{ namespace: 'one', rules: ALL }, { rules: REVIEW_RULES }]);
    const found = await findings({ options: { ...OPTIONS, namespaces: ['one', 'two'] } });
    expect(found.pods).toBe('- may not get pods in namespace two');
  });
  test('reviews granted in a namespace alone: they belong to none', async () => {
    stage.api.rbac.grant(DRIVER_USER, [{ namespace: 'one', rules: ALL }]);
    const found = await findings({ options: { ...OPTIONS, namespaces: ['one'] } });
    expect(found.tokenreviews).toBe('- may not create tokenreviews in the whole cluster');
  });
  test('more than it needs', async () => {
    stage.api.rbac.grant(DRIVER_USER, [{ rules: [...ALL, { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }] }]);
    expect((await findings())['pods/exec']).toBe('- may run commands in Pods, which it never needs');
  });
  test('a token that the API server does not know', async () => {
    stage.api.forgetBearer('driver-token-1');
    expect((await findings()).pods).toBe('- the API server does not say what the driver may do (unauthenticated)');
  });
  test('no supervisor account', async () => {
    expect((await findings({ options: { ...OPTIONS, accounts: [] } })).accounts).toMatch(/^- takes no supervisor/);
  });
  test.each([
    ['never heard of the Pods', undefined, '- has never heard of the Pods'],
    ['heard of them too long ago', 61_000, '- heard of the Pods 61 s ago: it vouches for no address any more'],
  ])('%s', async (_title, ageMs, want) => expect((await findings({ ageMs })).view).toBe(want));
});
