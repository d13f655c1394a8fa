import {
  driverPermissions,
  type KubeClient,
  NEVER_OF_THE_DRIVER,
  type Permission,
  resourceOf,
  reviewOwnAccess,
  STALE_MS,
} from '@sallyport/kube';
import type { Finding } from './driver.ts';
import type { KubernetesOptions } from './kubernetes-options.ts';

/** Each takes one question; what holds in the first ones hardly fails in the others. */
const NAMESPACES_ASKED_MAX = 8;

export interface SelfCheck {
  readonly client: Pick<KubeClient, 'post'>;
  readonly options: Pick<KubernetesOptions, 'namespaces' | 'endpointSlices' | 'accounts' | 'appEndpoints'>;
  /** How old what is known of the Pods is. Undefined: nothing is. */
  readonly ageMs: number | undefined;
}

/** Whether the driver sees the Pods, and whether the API server lets it do what it has to: the rules of docs/kubernetes.md. */
export async function checkSelf({ client, options, ageMs }: SelfCheck): Promise<readonly Finding[]> {
  const namespaces = options.namespaces.length === 0 ? [''] : options.namespaces.slice(0, NAMESPACES_ASKED_MAX);
  return [
    seesPods(ageMs),
    ...(await Promise.all(driverPermissions(options).map(({ name, wanted }) => may(name, wanted)))),
    await mayNotEnter(),
    accountsFinding(options.accounts.length),
  ];

  async function may(name: string, wanted: readonly Permission[]): Promise<Finding> {
    for (const permission of wanted)
      for (const namespace of permission.isOfCluster ? [''] : namespaces) {
        const asked = await allowed(permission, namespace);
        const where = namespace === '' ? 'in the whole cluster' : `in namespace ${namespace}`;
        if (typeof asked === 'string') return fails(name, asked, 'look at the way from the driver to the API server');
        if (!asked)
          return fails(
            name,
            `may not ${permission.verb} ${resourceOf(permission)} ${where}`,
            'give the driver the rules in docs/kubernetes.md, "What the driver may do"',
          );
      }
    return holds(name, `may ${wanted.map(({ verb }) => verb).join(', ')}`);
  }

  async function mayNotEnter(): Promise<Finding> {
    const [namespace = ''] = namespaces;
    const asked = await allowed(NEVER_OF_THE_DRIVER, namespace);
    if (typeof asked === 'string') return fails('pods/exec', asked, 'look at the way from the driver to the API server');
    return asked
      ? fails('pods/exec', 'may run commands in Pods, which it never needs', 'take that permission away from its account')
      : holds('pods/exec', 'may not run commands in Pods, as it should be');
  }

  /** A text: why that could not be asked. */
  async function allowed(permission: Permission, namespace: string): Promise<boolean | string> {
    const answer = await reviewOwnAccess(client, permission, namespace);
    return answer.ok ? answer.value : `the API server does not say what the driver may do (${answer.error.kind})`;
  }
}

function seesPods(ageMs: number | undefined): Finding {
  const next = 'look at its log for "following the API server"';
  if (ageMs === undefined) return fails('view', 'has never heard of the Pods', next);
  const heard = `heard of the Pods ${Math.round(ageMs / 1_000)} s ago`;
  return ageMs > STALE_MS ? fails('view', `${heard}: it vouches for no address any more`, next) : holds('view', heard);
}

const accountsFinding = (count: number): Finding =>
  count === 0
    ? fails(
        'accounts',
        'takes no supervisor: no --supervisor-account is given',
        'give the driver --supervisor-account NAMESPACE/NAME of the account that supervisors run as',
      )
    : holds('accounts', `takes supervisors of ${count} service account${count === 1 ? '' : 's'}`);

const holds = (name: string, detail: string): Finding => ({ name, ok: true, detail, nextStep: '' });
const fails = (name: string, detail: string, nextStep: string): Finding => ({ name, ok: false, detail, nextStep });
