import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeClient } from '../../api/client.ts';
import { type KubeStage, openKubeStage } from '../kube-stage.ts';
import { podObject, putPod } from './pods.ts';

/**
 * The semantics that are documented at kubernetes.io/docs/reference/using-api/api-concepts (resource versions, "Retrieving large
 * results sets in chunks", "Efficient detection of changes", watch bookmarks) and authentication.k8s.io/v1, one row for each:
 * a stand-in that is wrong proves nothing.
 */
let stage: KubeStage;
let client: KubeClient;

beforeAll(async () => {
  stage = await openKubeStage();
  client = (await stage.connect()).client;
});
afterAll(() => stage.close());
beforeEach(() => {
  for (const { metadata } of stage.api.store.list('pods', undefined))
    stage.api.store.remove('pods', metadata.namespace, metadata.name);
  for (const name of ['a', 'b', 'c', 'd', 'e']) putPod(stage.api.store, name, { namespace: name < 'd' ? 'one' : 'two' });
});

const PODS = '/api/v1/pods';
const get = async (path: string, query = {}): Promise<Record<string, unknown>> => {
  const answer = await client.get(path, query);
  return answer.ok ? (answer.value as Record<string, unknown>) : { refused: answer.error.kind, message: answer.error.message };
};
const names = (list: Record<string, unknown>): string[] =>
  (list.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
const version = (): string => String(stage.api.store.version);

/** What a watch says until its end, as `TYPE name`. */
async function watched(query: Record<string, string | number>, act: () => void = () => undefined, path = PODS) {
  const lines: string[] = [];
  const opened = Promise.withResolvers<void>();
  const over = client.watch(
    path,
    { watch: 'true', ...query },
    {
      signal: new AbortController().signal,
      onOpen: opened.resolve,
      onLine(line) {
        const { type, object } = JSON.parse(line) as { type: string; object: { code?: number; metadata?: { name?: string } } };
        lines.push(`${type} ${object.metadata?.name ?? object.code ?? ''}`.trim());
      },
    },
  );
  await Promise.race([opened.promise, over]);
  act();
  stage.api.watches.end();
  return { lines, over: await over };
}

describe('a list', () => {
  const rows: [title: string, path: string, query: Record<string, string | number>, want: () => object][] = [
    ['of all namespaces', PODS, {}, () => ({ kind: 'PodList', items: { length: 5 } })],
    ['of one', '/api/v1/namespaces/two/pods', {}, () => ({ items: { length: 2 } })],
    ['names the version that it shows', PODS, {}, () => ({ metadata: { resourceVersion: version() } })],
    [
      'in a page says where the next begins and how much is left',
      PODS,
      { limit: 2 },
      () => ({
        metadata: { continue: expect.any(String), remainingItemCount: 3 },
        items: { length: 2 },
      }),
    ],
    [
      'in one page names no next',
      PODS,
      { limit: 500 },
      () => ({ metadata: { resourceVersion: version() }, items: { length: 5 } }),
    ],
    ['by label', PODS, { labelSelector: 'sallyport.dev/sandbox=x' }, () => ({ items: [] })],
    ['by field', PODS, { fieldSelector: 'metadata.name=b' }, () => ({ items: { length: 1 } })],
    [
      'at a version that has not been: refused',
      PODS,
      { resourceVersion: 999_999 },
      () => ({ message: expect.stringMatching(/504: Too large resource version/) }),
    ],
    [
      'at a version that is none: refused',
      PODS,
      { resourceVersion: 'x' },
      () => ({ message: expect.stringMatching(/400: invalid resource version/) }),
    ],
    [
      'that matches without a version: refused',
      PODS,
      { resourceVersionMatch: 'Exact' },
      () => ({ message: expect.stringMatching(/400/) }),
    ],
    ['of a kind that is not there: refused', '/api/v1/nothings', {}, () => ({ refused: 'missing' })],
    [
      'with a cursor that is none: refused',
      PODS,
      { continue: 'x', limit: 2 },
      () => ({ message: expect.stringMatching(/400: continue key/) }),
    ],
    [
      'by a field that has no index: refused',
      PODS,
      { fieldSelector: 'spec.color=red' },
      () => ({ message: expect.stringMatching(/400: field label/) }),
    ],
  ];
  test.each(rows)('%s', async (_title, path, query, want) => expect(await get(path, query)).toMatchObject(want()));

  test('in pages shows one version, whatever changes meanwhile', async () => {
    const first = await get(PODS, { limit: 2 });
    const { continue: next, resourceVersion } = first.metadata as Record<string, string>;
    stage.api.store.remove('pods', 'one', 'c');
    const second = await get(PODS, { limit: 500, continue: next as string });
    expect([...names(first), ...names(second)]).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(second.metadata).toEqual({ resourceVersion });
  });
  test('whose snapshot was compacted cannot go on: 410', async () => {
    const { continue: next } = (await get(PODS, { limit: 2 })).metadata as Record<string, string>;
    stage.api.lists.expire();
    expect(await get(PODS, { limit: 2, continue: next as string })).toMatchObject({ refused: 'expired' });
  });
});

describe('a watch', () => {
  test('from a version tells what came after it, in order, and nothing else', async () => {
    const since = version();
    putPod(stage.api.store, 'f', { namespace: 'one' });
    const { lines } = await watched({ resourceVersion: since }, () => {
      putPod(stage.api.store, 'f', { namespace: 'one', ready: false });
      stage.api.store.remove('pods', 'one', 'f');
    });
    expect(lines).toEqual(['ADDED f', 'MODIFIED f', 'DELETED f']);
  });
  test('without a version begins with what there is', async () => {
    expect((await watched({})).lines).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d', 'ADDED e']);
  });
  test('of one namespace tells of no other', async () => {
    const act = (): void => void putPod(stage.api.store, 'g', { namespace: 'two' });
    expect((await watched({ resourceVersion: version() }, act, '/api/v1/namespaces/one/pods')).lines).toEqual([]);
  });
  test('gets bookmarks if it asked for them', async () => {
    const query = { resourceVersion: version(), allowWatchBookmarks: 'true' };
    expect((await watched(query, () => stage.api.watches.bookmark())).lines).toEqual(['BOOKMARK']);
  });
  test('and none if not', async () => {
    expect((await watched({ resourceVersion: version() }, () => stage.api.watches.bookmark())).lines).toEqual([]);
  });
  test('from a version that was compacted is refused inside the stream: 410', async () => {
    const since = version();
    stage.api.store.compact();
    expect(await watched({ resourceVersion: since })).toEqual({ lines: ['ERROR 410'], over: undefined });
  });
  test('ends in good order when its time is over', async () => {
    const over = await client.watch(
      PODS,
      { watch: 'true', resourceVersion: version(), timeoutSeconds: 1 },
      {
        signal: new AbortController().signal,
        onOpen: () => undefined,
        onLine: () => undefined,
      },
    );
    expect(over).toBeUndefined();
  });
  test('that asks for a streamed list is refused, as by a server whose etcd is old', async () => {
    const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', resourceVersion: version() };
    expect((await watched(query)).over).toMatchObject({ message: expect.stringMatching(/^422/) });
  });
  test('hears of a Pod that was made again under its name as of two', async () => {
    const act = (): void => void putPod(stage.api.store, 'a', { namespace: 'one', uid: 'another' });
    expect((await watched({ resourceVersion: version() }, act)).lines).toEqual(['DELETED a', 'ADDED a']);
  });
});

describe('an object', () => {
  const event = (name: string, namespace = 'one') => ({ metadata: { name, namespace }, message: 'm' });
  test('is read by name', async () =>
    expect(await get(`${PODS.replace('pods', 'namespaces/one/pods')}/a`)).toMatchObject({ kind: 'Pod' }));
  test('that is not there: 404', async () =>
    expect(await get('/api/v1/namespaces/one/pods/z')).toMatchObject({ refused: 'missing' }));
  test('is made once: 201, then 409', async () => {
    expect(await client.post('/api/v1/namespaces/one/events', event('e1'))).toMatchObject({ ok: true });
    expect(await client.post('/api/v1/namespaces/one/events', event('e1'))).toMatchObject({ error: { kind: 'conflict' } });
  });
  test('is not made in another namespace than it says: 400', async () =>
    expect(await client.post('/api/v1/namespaces/one/events', event('e2', 'two'))).toMatchObject({ error: { kind: 'failed' } }));
  test('is not made without a name: 422', async () =>
    expect(await client.post('/api/v1/namespaces/one/events', event(''))).toMatchObject({
      error: { message: expect.stringMatching(/^422/) },
    }));
  test('is not made where the role does not say so: 403', async () =>
    expect(await client.post('/api/v1/namespaces/one/pods', podObject('p', { namespace: 'one' }))).toMatchObject({
      error: { kind: 'forbidden' },
    }));
});

describe('a review', () => {
  const pod = () => ({ name: 'a', uid: stage.api.store.get('pods', 'one', 'a')?.metadata.uid ?? '' });
  const issue = (audiences: readonly string[]) =>
    stage.api.tokens.issue({ namespace: 'one', serviceAccount: 'sa', pod: pod(), audiences });
  const review = async (token: string, audiences?: readonly string[]) => {
    const answer = await client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } });
    return answer.ok ? (answer.value as { status: Record<string, unknown> }).status : answer.error;
  };
  test('says whose token it is, for which of the audiences, and of which Pod', async () =>
    expect(await review(issue(['x', 'y']), ['y', 'z'])).toMatchObject({
      authenticated: true,
      audiences: ['y'],
      user: { username: 'system:serviceaccount:one:sa', extra: { 'authentication.kubernetes.io/pod-uid': [pod().uid] } },
    }));
  test('of a token for others: no', async () => expect(await review(issue(['x']), ['y'])).not.toHaveProperty('authenticated'));
  test('of a token for others, asked for the server itself: no', async () =>
    expect(await review(issue(['x']))).not.toHaveProperty('authenticated'));
  test('of nobody’s token: no', async () => expect(await review('x', ['x'])).not.toHaveProperty('authenticated'));
  test('of a token whose Pod is gone: no', async () => {
    const token = issue(['x']);
    stage.api.store.remove('pods', 'one', 'a');
    expect(await review(token, ['x'])).not.toHaveProperty('authenticated');
  });
});

test('what was granted and not used is surplus, what was refused is missing', async () => {
  stage.api.rbac.grant('nobody', [
    { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }], namespace: 'one' },
  ]);
  const judge = (verb: string, namespace: string | undefined) =>
    stage.api.rbac.judge('nobody', { verb, group: '', resource: 'pods', namespace });
  expect([judge('list', 'one'), judge('list', 'two')?.code, judge('list', undefined)?.code, judge('watch', 'one')?.code]).toEqual(
    [undefined, 403, 403, 403],
  );
  expect(stage.api.rbac.unused('nobody')).toEqual(['get /pods']);
  expect(stage.api.rbac.refused('nobody')).toEqual(['list /pods', 'watch /pods']);
});
