import type { Change, Tracked } from '../api/cache.ts';
import { listOf, metaOf, numberOf, objectOf, textOf } from '../api/objects.ts';
import type { SliceAnswer } from './endpoint.ts';

/** A part of what a Service stands for. */
export interface Slice extends Tracked {
  readonly namespace: string;
  readonly service: string;
  readonly ports: readonly number[];
  readonly endpoints: readonly { readonly ips: readonly string[]; readonly podUid: string; readonly ready: boolean }[];
}

export function readSlice(object: unknown): Slice | undefined {
  const meta = metaOf(object);
  const { metadata, ports, endpoints } = objectOf(object);
  const service = textOf(objectOf(objectOf(metadata).labels)['kubernetes.io/service-name']);
  if (meta === undefined || service === '') return undefined;
  const { uid, version, namespace } = meta;
  return {
    uid,
    version,
    namespace,
    service,
    ports: listOf(ports)
      .map(objectOf)
      // The API: absent is TCP. A port of UDP says nothing about where HTTPS is.
      .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
      .map(({ port }) => numberOf(port)),
    endpoints: listOf(endpoints).map((endpoint) => {
      const { addresses, targetRef, conditions } = objectOf(endpoint);
      const { ready } = objectOf(conditions);
      return {
        ips: listOf(addresses).map(textOf),
        podUid: textOf(objectOf(targetRef).uid),
        // The API: absent means unknown, and unknown is to be read as ready.
        ready: ready !== false,
      };
    }),
  };
}

export interface SliceIndex {
  apply(changes: readonly Change<Slice>[]): void;
  /** Where the Service says that this very Pod is. */
  find(namespace: string, service: string, podUid: string): SliceAnswer;
}

export function createSliceIndex(): SliceIndex {
  const services = new Map<string, Map<string, Slice>>();
  const keyOf = ({ namespace, service }: Pick<Slice, 'namespace' | 'service'>): string => `${namespace}/${service}`;
  const forget = (slice: Slice): void => {
    const parts = services.get(keyOf(slice));
    parts?.delete(slice.uid);
    if (parts?.size === 0) services.delete(keyOf(slice));
  };
  return {
    apply(changes) {
      for (const change of changes) {
        if (change.kind === 'removed') forget(change.item);
        else {
          if (change.before !== undefined) forget(change.before);
          const key = keyOf(change.item);
          services.set(key, (services.get(key) ?? new Map()).set(change.item.uid, change.item));
        }
      }
    },
    find(namespace, service, podUid) {
      const parts = [...(services.get(`${namespace}/${service}`)?.values() ?? [])];
      if (parts.length === 0) return { kind: 'nowhere', why: `Service ${service} has no EndpointSlice` };
      const own = parts.filter(({ endpoints }) => endpoints.some((endpoint) => endpoint.podUid === podUid));
      if (own.length === 0) return { kind: 'nowhere', why: `Service ${service} does not name this Pod` };
      // One slice for each family: addresses of all that call it ready.
      const ready = own.flatMap(({ endpoints }) => endpoints.filter((each) => each.podUid === podUid && each.ready));
      if (ready.length === 0) return { kind: 'nowhere', why: `Service ${service} calls this Pod not ready` };
      return { kind: 'at', ips: ready.flatMap(({ ips }) => ips), ports: own.flatMap(({ ports }) => ports) };
    },
  };
}
