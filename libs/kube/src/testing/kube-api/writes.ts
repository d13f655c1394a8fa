import type { ObjectStore, Wanted } from './object-store.ts';
import type { ApiObject, Resource, Target } from './resources.ts';
import { type Status, status } from './status.ts';

/** What changes objects, as the API does it for those who may. */
export function create(store: ObjectStore, { resource, namespace }: Target, body: unknown): object | Status {
  if (namespace === undefined && resource.scope !== 'cluster')
    return status(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  const wanted = body as Wanted | undefined;
  const name = wanted?.metadata?.name ?? '';
  if (wanted === undefined || name === '')
    return status(422, 'Invalid', `${resource.kind} "" is invalid: metadata.name: Required value`);
  if (wanted.metadata.namespace !== undefined && wanted.metadata.namespace !== namespace)
    return status(400, 'BadRequest', 'the namespace of the provided object does not match the namespace sent on the request');
  if (store.get(resource.plural, namespace ?? '', name) !== undefined)
    return status(409, 'AlreadyExists', `${resource.plural} "${name}" already exists`);
  return store.put(resource, { ...wanted, metadata: { ...wanted.metadata, namespace: namespace ?? '' } });
}

/** RFC 7386; a strategic merge differs from it in lists alone. The UID and the version are the server's. */
export function patch(store: ObjectStore, { resource, namespace, name = '' }: Target, body: unknown): object | Status {
  const before = store.get(resource.plural, namespace ?? '', name);
  if (before === undefined) return notFound(resource, name);
  if (!isObject(body)) return status(400, 'BadRequest', 'the body of the request is not an object');
  const merged = merge(before, body) as Wanted;
  const { uid, creationTimestamp, namespace: own } = before.metadata;
  return store.put(resource, { ...merged, metadata: { ...merged.metadata, name, namespace: own, uid, creationTimestamp } });
}

/**
 * A Pod that a node runs is only marked: it is gone when the node says so, or when nobody is to be waited for. Everything else
 * is gone at once.
 */
export function remove(
  store: ObjectStore,
  { resource, namespace, name = '' }: Target,
  options: { readonly query: URLSearchParams; readonly body: unknown },
): object | Status {
  const before = store.get(resource.plural, namespace ?? '', name);
  if (before === undefined) return notFound(resource, name);
  const isRun = resource.plural === 'pods' && isObject(before.spec) && before.spec.nodeName !== undefined;
  if (isRun && graceSeconds(options) > 0)
    return before.metadata.deletionTimestamp === undefined ? mark(store, resource, before) : before;
  return store.remove(resource.plural, namespace ?? '', name) ?? notFound(resource, name);
}

/** Of Pods that say nothing else. */
const GRACE_SECONDS = 30;

function graceSeconds({ query, body }: { readonly query: URLSearchParams; readonly body: unknown }): number {
  const asked = isObject(body) ? body.gracePeriodSeconds : undefined;
  return Number(asked ?? query.get('gracePeriodSeconds') ?? GRACE_SECONDS);
}

const mark = (store: ObjectStore, resource: Resource, before: ApiObject): ApiObject =>
  store.put(resource, { ...before, metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:10:00Z' } });

export const notFound = ({ plural }: Resource, name: string | undefined): Status =>
  status(404, 'NotFound', `${plural} "${name ?? ''}" not found`);

function merge(target: unknown, change: Readonly<Record<string, unknown>>): unknown {
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? merge(merged[name], value) : value;
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
