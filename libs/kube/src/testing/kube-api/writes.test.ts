import { describe, expect, test } from 'vitest';
import { createObjectStore, type ObjectStore } from './object-store.ts';
import { putPod } from './pods.ts';
import type { ApiObject } from './resources.ts';
import { type Target, targetOf } from './resources.ts';
import { patch, remove } from './writes.ts';

/** As documented at kubernetes.io/docs/reference/using-api/api-concepts (patch, delete) and RFC 7386. */
const PATH = '/api/v1/namespaces/one/pods/a';
const target = targetOf(PATH) as Target;
const NO_QUERY = new URLSearchParams();

function scene(change: object = {}): ObjectStore {
  const store = createObjectStore();
  putPod(store, 'a', { namespace: 'one', labels: { pool: 'blue' } });
  patch(store, target, change);
  return store;
}
const held = (store: ObjectStore): ApiObject | undefined => store.get('pods', 'one', 'a');

describe('a patch', () => {
  const rows: [title: string, change: unknown, want: object][] = [
    ['adds a label and keeps the others', { metadata: { labels: { x: 'y' } } }, { x: 'y', 'sallyport.dev/pool': 'blue' }],
    ['replaces one', { metadata: { labels: { 'sallyport.dev/pool': 'red' } } }, { 'sallyport.dev/pool': 'red' }],
    ['takes away what is null', { metadata: { labels: { 'sallyport.dev/pool': null } } }, {}],
  ];
  test.each(rows)('%s', (_title, change, want) => expect(held(scene(change as object))?.metadata.labels).toEqual(want));

  test('is another version of the same object', () => {
    const store = scene();
    const before = held(store)?.metadata;
    patch(store, target, { metadata: { uid: 'mine', name: 'b', labels: { x: 'y' } } });
    expect(held(store)?.metadata).toMatchObject({ uid: before?.uid, name: 'a', resourceVersion: String(store.version) });
    expect(store.since(Number(before?.resourceVersion)).map(({ type }) => type)).toEqual(['MODIFIED']);
  });
  test('of what is not there: 404', () =>
    expect(patch(createObjectStore(), target, {})).toMatchObject({ code: 404, reason: 'NotFound' }));
  test('that is no object: 400', () => expect(patch(scene(), target, 'x')).toMatchObject({ code: 400 }));
});

describe('a deletion', () => {
  const ask = (store: ObjectStore, query = '', body?: unknown) =>
    remove(store, target, { query: new URLSearchParams(query), body });
  const run = { spec: { nodeName: 'n1' } };

  test('of a Pod that no node runs: it is gone', () => {
    const store = scene();
    ask(store);
    expect(held(store)).toBeUndefined();
  });
  test('of one that a node runs: it is marked, and is gone when the node says so', () => {
    const store = scene(run);
    ask(store);
    expect(held(store)?.metadata.deletionTimestamp).toEqual(expect.any(String));
    ask(store, '', { gracePeriodSeconds: 0 });
    expect(held(store)).toBeUndefined();
  });
  test('twice marks it once', () => {
    const store = scene(run);
    ask(store);
    const { version } = store;
    ask(store);
    expect(store.version).toBe(version);
  });
  test('by force waits for nobody', () => {
    const store = scene(run);
    ask(store, 'gracePeriodSeconds=0');
    expect(held(store)).toBeUndefined();
  });
  test('of what is not there: 404', () =>
    expect(remove(createObjectStore(), target, { query: NO_QUERY, body: undefined })).toMatchObject({ code: 404 }));
});

describe('a path', () => {
  const rows: [path: string, found: boolean][] = [
    [PATH, true],
    ['/api/v1/pods/a', false],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles/a', true],
    ['/apis/rbac.authorization.k8s.io/v1/namespaces/one/clusterroles/a', false],
  ];
  test.each(rows)('%s: %s', (path, found) => expect(targetOf(path) !== undefined).toBe(found));
});
