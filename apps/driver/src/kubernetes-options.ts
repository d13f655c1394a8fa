import type { Family } from '@sallyport/kube';
import { err, ok, type Result } from '@sallyport/model';
import type { Reader } from '@sallyport/process';

/** What the Kubernetes backend is told. */
export interface KubernetesOptions {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly audience: string;
  /** `namespace/name` of every service account that supervisors run as. */
  readonly accounts: readonly string[];
  readonly sidecars: boolean;
  readonly workspaceIsNamespace: boolean;
  readonly prefer: Family;
  readonly endpointSlices: boolean;
  readonly appEndpoints: boolean;
  readonly checkEveryMs: number;
}

export const readKubernetes = (read: Reader) => ({
  kubeconfig: read.file('kubeconfig', 'How to reach the API server; without it as the Pod that this process runs in.', {
    optional: true,
  }),
  context: read.text('kube-context', 'Context of the kubeconfig, instead of its current one.', { optional: true }),
  namespaces: read.list('namespace', 'Namespace to observe; repeat for each. Without it all of them.', parseNamespace, {
    max: 256,
    placeholder: 'NAME',
  }),
  audience: read.text('supervisor-audience', 'Audience that the tokens of supervisors must be for.', {
    otherwise: 'sallyport-gateway',
  }),
  accounts: read.list(
    'supervisor-account',
    'Service account that supervisors run as; repeat for each. Never one of workloads.',
    parseAccount,
    { max: 256, placeholder: 'NAMESPACE/NAME' },
  ),
  sidecars: read.flag(
    'sidecar-supervisors',
    "Let a dedicated sandbox's own Pod prove its supervisor: only the supervisor's container may mount that token.",
  ),
  workspaceIsNamespace: read.flag('workspace-is-namespace', "A Pod's workspace is its namespace, whatever its labels say."),
  prefer: read.choice('prefer-family', 'Address family of endpoints where a Pod has both.', ['ipv4', 'ipv6'] as const, {
    otherwise: 'ipv4',
  }),
  endpointSlices: read.flag(
    'endpoint-slices',
    'Observe EndpointSlices, for supervisors that ask for the address of their Service.',
  ),
  appEndpoints: read.choice('app-endpoints', 'Whether to say where supervisors can be reached.', ['on', 'off'] as const, {
    otherwise: 'on',
  }),
  checkEveryMs: read.duration('self-check', 'How often to compare what is held with a list.', {
    min: 10_000,
    max: 86_400_000,
    otherwise: 600_000,
  }),
});

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ACCOUNT = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

const parseNamespace = (text: string): Result<string, string> =>
  LABEL.test(text) ? ok(text) : err(`${shown(text)} is no name of a namespace`);

function parseAccount(text: string): Result<string, string> {
  const [namespace = '', name = '', ...more] = text.split('/');
  return more.length === 0 && LABEL.test(namespace) && ACCOUNT.test(name)
    ? ok(text)
    : err(`${shown(text)} is not namespace/name`);
}
