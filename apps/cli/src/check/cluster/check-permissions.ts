import {
  accountName,
  driverPermissions,
  NEVER_OF_THE_DRIVER,
  type Permission,
  resourceOf,
  reviewAccess,
  reviewOwnAccess,
  type Trouble,
} from '@sallyport/kube';
import { ok, type Result } from '@sallyport/model';
import { type Finding, fails, holds, skipped } from '../finding.ts';
import type { DriverSettings } from './driver-settings.ts';
import { type LookedAt, notSeen } from './looked-at.ts';

/** Each takes one question; what holds in the first ones hardly fails in the others. */
const NAMESPACES_ASKED_MAX = 8;

type Ask = (permission: Permission, namespace: string) => Promise<Result<boolean, Trouble>>;
type Denied = { readonly permission: Permission; readonly namespace: string };

/** Whether the driver's account has every rule that the chart gives it, and not the one that it must not have. */
export async function checkDriverPermissions(at: LookedAt, settings: DriverSettings): Promise<readonly Finding[]> {
  const account = { namespace: at.namespace, name: `${at.release}-driver` };
  // Whoever asks as the driver itself needs no leave to ask.
  const isItself = at.token?.subject === accountName(account);
  const ask: Ask = isItself
    ? (permission, namespace) => reviewOwnAccess(at.client, permission, namespace)
    : (permission, namespace) => reviewAccess(at.client, account, permission, namespace);
  const namespaces = settings.namespaces.length === 0 ? [''] : settings.namespaces.slice(0, NAMESPACES_ASKED_MAX);
  const next = `bind ${account.namespace}/${account.name} to the rules in docs/kubernetes.md, "What the driver may do"; helm upgrade makes the chart's again`;

  async function rule(name: string, wanted: readonly Permission[]): Promise<Finding> {
    const asked = await firstDenied(ask, wanted, namespaces);
    if (!asked.ok) return notAsked(`driver ${name}`, asked.error, at);
    if (asked.value !== undefined) return fails(`driver ${name}`, mayNot(account.name, asked.value), next);
    const where = whereOf(wanted.every(({ isOfCluster }) => isOfCluster) ? [''] : namespaces);
    return holds(`driver ${name}`, `${account.name} may ${wanted.map(({ verb }) => verb).join(', ')} ${name} ${where}`);
  }
  async function never(): Promise<Finding> {
    const asked = await ask(NEVER_OF_THE_DRIVER, namespaces[0] ?? '');
    if (!asked.ok) return notAsked('driver pods/exec', asked.error, at);
    return asked.value
      ? fails(
          'driver pods/exec',
          `${account.name} may run commands in Pods, which it never needs`,
          'take that permission away from its account',
        )
      : holds('driver pods/exec', `${account.name} may not run commands in Pods, as it should be`);
  }
  const rules = driverPermissions(settings).map(({ name, wanted }) => rule(name, wanted));
  return await Promise.all([...rules, never()]);
}

/** Before there is a driver: whether who asks may make what the chart consists of. */
export async function checkMayInstall(at: LookedAt): Promise<Finding> {
  const asked = await firstDenied(
    (permission, namespace) => reviewOwnAccess(at.client, permission, namespace),
    MADE_BY_THE_CHART,
    [at.namespace],
  );
  if (!asked.ok) return notSeen('may install', asked.error, 'ask what you may do', at);
  if (asked.value === undefined) return holds('may install', `you may make what the chart consists of in ${at.namespace}`);
  return fails('may install', mayNot('you', asked.value), 'have somebody install it who may, such as a cluster admin');
}

const made = (group: string, ...resources: readonly string[]): readonly Permission[] =>
  resources.map((resource) => ({ verb: 'create', group, resource }));
const RBAC = 'rbac.authorization.k8s.io';
const MADE_BY_THE_CHART: readonly Permission[] = [
  // helm keeps its releases in Secrets.
  ...made('', 'secrets', 'serviceaccounts', 'services'),
  ...made('apps', 'deployments', 'statefulsets'),
  ...made('networking.k8s.io', 'networkpolicies'),
  ...made('policy', 'poddisruptionbudgets'),
  ...made(RBAC, 'roles', 'rolebindings'),
  ...made(RBAC, 'clusterroles', 'clusterrolebindings').map((each) => ({ ...each, isOfCluster: true as const })),
];

async function firstDenied(
  ask: Ask,
  wanted: readonly Permission[],
  namespaces: readonly string[],
): Promise<Result<Denied | undefined, Trouble>> {
  for (const permission of wanted)
    for (const namespace of permission.isOfCluster ? [''] : namespaces) {
      const asked = await ask(permission, namespace);
      if (!asked.ok) return asked;
      if (!asked.value) return ok({ permission, namespace });
    }
  return ok(undefined);
}

function notAsked(name: string, trouble: Trouble, at: LookedAt): Finding {
  if (trouble.kind !== 'forbidden') return notSeen(name, trouble, 'ask', at);
  const next = `ask as somebody who may create subjectaccessreviews, or as the driver itself: kubectl -n ${at.namespace} create token ${at.release}-driver`;
  return skipped(name, 'not looked at: you may not ask what others may do', next);
}

const mayNot = (who: string, { permission, namespace }: Denied): string =>
  `${who} may not ${permission.verb} ${resourceOf(permission)} ${whereOf([namespace])}`;

function whereOf([first = '', ...more]: readonly string[]): string {
  if (first === '') return 'in the whole cluster';
  return more.length === 0 ? `in namespace ${first}` : `in namespaces ${[first, ...more].join(', ')}`;
}
