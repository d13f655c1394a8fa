import { randomUUID } from 'node:crypto';
import { type ApiMeta, type ApiObject, apiVersionOf, type Resource } from './resources.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface StoredEvent {
  readonly version: number;
  readonly type: EventType;
  readonly plural: string;
  readonly object: ApiObject;
}

/** What is put: the server fills in what is the server's. */
export interface Wanted {
  readonly metadata: Partial<ApiMeta> & { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

/** Objects of all kinds under one rising version, with the history that watches read. */
export interface ObjectStore {
  readonly version: number;
  /** The oldest version from which a watch can still go on. */
  readonly oldest: number;
  get(plural: string, namespace: string, name: string): ApiObject | undefined;
  /** By namespace and name. */
  list(plural: string, namespace: string | undefined): readonly ApiObject[];
  /** Creates or replaces. An object that is there keeps its UID, unless another is wanted. */
  put(resource: Resource, wanted: Wanted): ApiObject;
  remove(plural: string, namespace: string, name: string): ApiObject | undefined;
  since(version: number): readonly StoredEvent[];
  /** Forgets all history. */
  compact(): void;
  onEvent(listener: (event: StoredEvent) => void): () => void;
}

export function createObjectStore(firstVersion = 1_000): ObjectStore {
  const kinds = new Map<string, Map<string, ApiObject>>();
  const listeners = new Set<(event: StoredEvent) => void>();
  let history: StoredEvent[] = [];
  let version = firstVersion;
  let oldest = firstVersion;
  const objects = (plural: string): Map<string, ApiObject> => {
    const known = kinds.get(plural) ?? new Map<string, ApiObject>();
    kinds.set(plural, known);
    return known;
  };
  const record = (type: EventType, plural: string, object: ApiObject): void => {
    const event = { version, type, plural, object };
    history.push(event);
    for (const listener of [...listeners]) listener(event);
  };
  const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

  return {
    get version() {
      return version;
    },
    get oldest() {
      return oldest;
    },
    get: (plural, namespace, name) => objects(plural).get(keyOf(namespace, name)),
    list: (plural, namespace) =>
      [...objects(plural)]
        .filter(([, { metadata }]) => namespace === undefined || metadata.namespace === namespace)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, object]) => object),
    put(resource, wanted) {
      const { namespace, name } = wanted.metadata;
      const all = objects(resource.plural);
      const key = keyOf(namespace, name);
      const before = all.get(key);
      // Another UID under the same name is another object: the first one is gone.
      const isSame = before !== undefined && (wanted.metadata.uid === undefined || wanted.metadata.uid === before.metadata.uid);
      if (before !== undefined && !isSame) this.remove(resource.plural, namespace, name);
      version += 1;
      const object: ApiObject = {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        ...wanted,
        metadata: {
          uid: isSame ? before.metadata.uid : randomUUID(),
          creationTimestamp: isSame ? before.metadata.creationTimestamp : '2026-01-01T00:00:00Z',
          ...wanted.metadata,
          resourceVersion: String(version),
        },
      };
      all.set(key, object);
      record(isSame ? 'MODIFIED' : 'ADDED', resource.plural, object);
      return object;
    },
    remove(plural, namespace, name) {
      const before = objects(plural).get(keyOf(namespace, name));
      if (before === undefined) return undefined;
      objects(plural).delete(keyOf(namespace, name));
      version += 1;
      // The last state, with the version of the deletion.
      const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
      record('DELETED', plural, object);
      return object;
    },
    since: (from) => history.filter((event) => event.version > from),
    compact() {
      history = [];
      version += 1;
      oldest = version;
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
