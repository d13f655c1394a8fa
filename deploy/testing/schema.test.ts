import { validate as Deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as StatefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet';
import { validate as Service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as ServiceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount';
import { validate as NetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as PodDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { validate as ClusterRole } from 'kubernetes-models/_schemas/IoK8sApiRbacV1ClusterRole';
import { validate as ClusterRoleBinding } from 'kubernetes-models/_schemas/IoK8sApiRbacV1ClusterRoleBinding';
import { validate as Role } from 'kubernetes-models/_schemas/IoK8sApiRbacV1Role';
import { validate as RoleBinding } from 'kubernetes-models/_schemas/IoK8sApiRbacV1RoleBinding';
import { describe, expect, test } from 'vitest';
import { SCENARIOS } from './helm.ts';
import { type KubeObject, objectsOf } from './objects.ts';
import { problemsOf, type Validator } from './schema.ts';

const VALIDATORS: Readonly<Record<string, unknown>> = {
  'apps/v1 Deployment': Deployment,
  'apps/v1 StatefulSet': StatefulSet,
  'v1 Service': Service,
  'v1 ServiceAccount': ServiceAccount,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'rbac.authorization.k8s.io/v1 ClusterRole': ClusterRole,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': ClusterRoleBinding,
  'rbac.authorization.k8s.io/v1 Role': Role,
  'rbac.authorization.k8s.io/v1 RoleBinding': RoleBinding,
};
/** Of cert-manager and the Prometheus operator, whose schemas are not here. */
const OTHERS = [
  'cert-manager.io/v1 Issuer',
  'cert-manager.io/v1 Certificate',
  'monitoring.coreos.com/v1 PodMonitor',
  'monitoring.coreos.com/v1 PrometheusRule',
];

const validatorOf = ({ apiVersion, kind }: KubeObject): Validator | undefined =>
  VALIDATORS[`${apiVersion} ${kind}`] as Validator | undefined;

describe.each(SCENARIOS)('%s', (scenario) => {
  const objects = objectsOf(scenario);
  test('every object is one that the Kubernetes API takes whole', () => {
    for (const object of objects) {
      const validate = validatorOf(object);
      const title = `${object.apiVersion} ${object.kind}`;
      if (validate === undefined) expect(OTHERS).toContain(title);
      else expect(problemsOf(validate, object), `${title} ${object.metadata.name}`).toEqual([]);
    }
  });
  test('no two objects are the same one', () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the check finds', () => {
  const sound = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a', labels: { any: 'label' } },
    spec: { ports: [{ port: 1 }] },
  };
  const rows: [title: string, object: object, want: RegExp][] = [
    ['a field that is misspelt', { ...sound, spec: { ...sound.spec, selektor: {} } }, /^\/spec\/selektor: unknown$/],
    ['one inside a list', { ...sound, spec: { ports: [{ port: 1, targetport: 2 }] } }, /^\/spec\/ports\/0\/targetport: unknown$/],
    ['a word for a number', { ...sound, spec: { ports: [{ port: 'one' }] } }, /^\/spec\/ports\/0\/port: type/],
    ['a field that is missing', { ...sound, spec: { ports: [{}] } }, /^\/spec\/ports\/0: required/],
  ];
  test.each(rows)('%s', (_title, object, want) => {
    const problems = problemsOf(Service as unknown as Validator, object as KubeObject);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(want);
  });
  test('nothing in a sound one', () => expect(problemsOf(Service as unknown as Validator, sound as KubeObject)).toEqual([]));
});
