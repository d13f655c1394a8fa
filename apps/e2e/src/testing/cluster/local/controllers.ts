import { type ApiObject, type KubeApi, putSlice } from '@sallyport/kube/testing';
import type { Node } from './node.ts';
import type { GuardRule } from './places.ts';

/** What a control plane makes of other objects: EndpointSlices of Services, and the network that NetworkPolicies allow. */
export function followObjects(api: KubeApi, node: Node): () => void {
  const told = new Map<string, string>();
  const isNew = (key: string, value: unknown): boolean => {
    const text = JSON.stringify(value);
    if (told.get(key) === text) return false;
    told.set(key, text);
    return true;
  };

  const cancel = api.store.onEvent(({ plural }) => {
    // After those who were told of the event itself.
    if (['pods', 'services', 'networkpolicies'].includes(plural)) setImmediate(settle);
  });

  function settle(): void {
    for (const service of api.store.list('services', undefined)) slice(service);
    const policies = api.store.list('networkpolicies', undefined);
    for (const pod of api.store.list('pods', undefined)) guard(pod, policies);
  }

  function slice(service: ApiObject): void {
    const { name, namespace } = service.metadata;
    const { selector, ports } = service.spec as { selector: Record<string, string>; ports: { port: number }[] };
    const pods = selected(api, namespace, selector).filter((pod) => addressOf(pod) !== undefined);
    const endpoints = pods.map((pod) => ({ ips: [addressOf(pod) ?? ''], uid: pod.metadata.uid, ready: isReady(pod) }));
    const wanted = { namespace, service: name, port: ports[0]?.port ?? 0, endpoints };
    if (isNew(`slice ${namespace}/${name}`, wanted)) putSlice(api.store, `${name}-local`, wanted);
  }

  function guard(pod: ApiObject, policies: readonly ApiObject[]): void {
    if (addressOf(pod) === undefined) return;
    const rules = policies
      .filter(
        ({ metadata, spec }) =>
          metadata.namespace === pod.metadata.namespace && has(pod, (spec as Policy).podSelector.matchLabels),
      )
      .flatMap(({ metadata, spec }) =>
        (spec as Policy).ingress.flatMap(({ from, ports }): GuardRule[] =>
          ports.map(({ port }) => ({
            port,
            from: from.flatMap(({ podSelector }) =>
              selected(api, metadata.namespace, podSelector.matchLabels).flatMap((each) => addressOf(each) ?? []),
            ),
          })),
        ),
      );
    if (!isNew(`guard ${pod.metadata.uid}`, rules)) return;
    try {
      node.place(pod.metadata.name).guard(rules);
    } catch {
      // It went while we looked.
      told.delete(`guard ${pod.metadata.uid}`);
    }
  }

  return cancel;
}

interface Policy {
  readonly podSelector: { readonly matchLabels: Record<string, string> };
  readonly ingress: readonly {
    readonly from: readonly { readonly podSelector: { readonly matchLabels: Record<string, string> } }[];
    readonly ports: readonly { readonly port: number }[];
  }[];
}

interface PodStatus {
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

const addressOf = ({ status }: ApiObject): string | undefined => (status as PodStatus | undefined)?.podIP;
const isReady = ({ status }: ApiObject): boolean =>
  (status as PodStatus).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const has = ({ metadata }: ApiObject, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value);
const selected = (api: KubeApi, namespace: string, labels: Readonly<Record<string, string>>): ApiObject[] =>
  api.store.list('pods', namespace).filter((pod) => has(pod, labels));
