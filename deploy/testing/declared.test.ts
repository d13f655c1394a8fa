import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPod, roleOf } from '@sallyport/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { describeHelm } from './describe-helm.ts';
import { render, SCENARIOS } from './helm.ts';
import { type KubeObject, objectsOf, type Pods, parseObjects, podsOf } from './objects.ts';

/** What the driver makes of a Pod's labels and annotations, in a word. */
function roleIn(objects: readonly KubeObject[], { name, namespace, labels, annotations, spec }: Pods): string {
  const pod = readPod({ metadata: { name, namespace, uid: name, resourceVersion: '1', labels, annotations }, spec });
  if (pod === undefined) throw new Error(`${name} is no Pod`);
  const driver = podsOf(objects).find((each) => each.name.endsWith('-driver'))?.spec.containers[0];
  const role = roleOf(pod, { workspaceIsNamespace: driver?.args?.includes('--workspace-is-namespace') === true });
  if (role.kind === 'supervisor') return `supervisor of ${role.poolId}`;
  if (role.kind !== 'workload') return role.kind;
  const { workspace, sandbox, mode, services, boundaryPort, problem } = role.declared;
  const reached = boundaryPort === undefined ? '' : ` by ${boundaryPort}`;
  return `${mode ?? 'any'} ${workspace}/${sandbox}${reached}: ${services.map(({ service }) => service).join()}${problem}`;
}

const poolOf = ({ spec }: Pods): string | undefined =>
  spec.containers.flatMap(({ args = [] }) => args.find((argument) => argument.startsWith('--pool=')) ?? [])[0]?.slice(7);

describe.each(SCENARIOS)('%s', (scenario) => {
  const objects = objectsOf(scenario);
  test('the driver takes each supervisor for what it gives itself out for', () => {
    for (const pods of podsOf(objects)) {
      if (poolOf(pods) === undefined) continue;
      const role = roleIn(objects, pods);
      // One beside its application is of the sandbox that its own Pod is.
      if (role.startsWith('dedicated ')) expect(`dedicated:${role.split(/[ :]/)[1]?.replace('/', ':')}`).toBe(poolOf(pods));
      else expect(role).toBe(`supervisor of ${poolOf(pods)}`);
    }
  });
  test('and nothing else of ours for a sandbox', () => {
    const named = podsOf(objects).filter((pods) => poolOf(pods) === undefined && !pods.name.includes('example'));
    expect(named.map((pods) => roleIn(objects, pods)).filter((role) => role !== 'none')).toEqual([]);
  });
});

test('the examples say what they are', () => {
  const roles = (scenario: string): string[] =>
    podsOf(objectsOf(scenario))
      .filter(({ name }) => name.includes('-example-'))
      .map((pods) => roleIn(objectsOf(scenario), pods));
  expect(roles('edge')).toEqual(['any doors/shared by 9443: web', 'dedicated doors/apart by 9443: web']);
  expect(roles('dedicated')).toEqual(['dedicated team/own: web']);
});

describeHelm('a sandbox whose names are as long as names can be', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-declared-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  test('has the pool that the driver makes of them', async () => {
    const long = { name: 'long', workspace: 'w'.repeat(63), sandbox: 's'.repeat(63) };
    writeFileSync(join(directory, 'long.yaml'), stringify({ dedicated: { supervisors: [long] } }));
    const rendered = await render('--values', join(directory, 'long.yaml'));
    if (!rendered.ok) throw new Error(rendered.error);
    const objects = parseObjects(rendered.text);
    const [pods] = podsOf(objects).filter(({ name }) => name === 'sallyport-dedicated-long');
    if (pods === undefined) throw new Error('no supervisor');
    expect(roleIn(objects, pods)).toBe(`supervisor of ${poolOf(pods)}`);
    expect(poolOf(pods)).toHaveLength(128);
  });
});
