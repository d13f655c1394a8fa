import type { KubeObject } from './objects.ts';

/** Who may open a connection to whom under NetworkPolicies, as networking.k8s.io/v1 defines it. Pure. */

type Labels = Readonly<Record<string, string>>;

export interface Party {
  readonly name: string;
  /** Undefined: outside of the cluster. */
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly ip?: string;
}

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Expression[];
}

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Port {
  readonly protocol?: string;
  readonly port?: number;
}

interface PolicyRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly Port[];
}

export interface Policy {
  readonly namespace: string;
  readonly podSelector: Selector;
  readonly policyTypes: readonly ('Ingress' | 'Egress')[];
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
}

export const policiesOf = (objects: readonly KubeObject[]): readonly Policy[] =>
  objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ metadata, spec }) => ({ ...(spec as unknown as Omit<Policy, 'namespace'>), namespace: metadata.namespace ?? '' }));

/** A connection needs leave at both ends; an end that no policy selects for that direction gives it. */
export const mayReach = (policies: readonly Policy[], from: Party, to: Party, port: number): boolean =>
  lets(policies, 'Egress', from, to, port) && lets(policies, 'Ingress', to, from, port);

function lets(policies: readonly Policy[], type: 'Ingress' | 'Egress', own: Party, other: Party, port: number): boolean {
  const selecting = policies.filter(
    ({ namespace, podSelector, policyTypes }) =>
      policyTypes.includes(type) && own.namespace === namespace && matches(podSelector, own.labels ?? {}),
  );
  if (selecting.length === 0) return true;
  return selecting.some(({ namespace, ingress = [], egress = [] }) =>
    (type === 'Ingress' ? ingress : egress).some(({ from, to, ports }) => {
      const peers = type === 'Ingress' ? from : to;
      return (
        names(ports, port) && (peers === undefined || peers.length === 0 || peers.some((peer) => isPeer(peer, namespace, other)))
      );
    }),
  );
}

const names = (ports: readonly Port[] | undefined, port: number): boolean =>
  ports === undefined ||
  ports.some((each) => (each.protocol ?? 'TCP') === 'TCP' && (each.port === undefined || each.port === port));

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, policyNamespace: string, party: Party): boolean {
  if (ipBlock !== undefined) {
    const { ip } = party;
    return ip !== undefined && isIn(ip, ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => isIn(ip, cidr));
  }
  if (party.namespace === undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? party.namespace === policyNamespace
      : matches(namespaceSelector, { 'kubernetes.io/metadata.name': party.namespace });
  return inNamespace && matches(podSelector ?? {}, party.labels ?? {});
}

/** An empty selector selects all. */
function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => holds(expression, labels))
  );
}

function holds({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
  }
}

/** IPv4 is all that the scenarios name. */
function isIn(ip: string, cidr: string): boolean {
  const [network = '', bits = '32'] = cidr.split('/');
  const mask = bits === '0' ? 0 : -1 << (32 - Number(bits));
  return (number(ip) & mask) === (number(network) & mask);
}

const number = (ip: string): number => ip.split('.').reduce((sum, part) => (sum << 8) | Number(part), 0);
