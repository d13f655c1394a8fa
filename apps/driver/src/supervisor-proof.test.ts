import { type PodShape, pod } from '@sallyport/kube/testing';
import { err, ok, type PoolId, type Result } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import { proveSupervisor } from './supervisor-proof.ts';
import { createTokenReview, REVIEW_STANDS_MS, readReview } from './token-review.ts';

const AUDIENCE = 'sallyport-gateway';
const outcome = (result: { ok: true; value: unknown } | { ok: false; error: { kind: string; message: string } }) =>
  result.ok ? result.value : `${result.error.kind}: ${result.error.message}`;

describe('a review proves', () => {
  const extra = { 'authentication.kubernetes.io/pod-name': ['pod-s1'], 'authentication.kubernetes.io/pod-uid': ['s1'] };
  const user = { username: 'system:serviceaccount:ns:sup', extra };
  const status = { authenticated: true, audiences: [AUDIENCE], user };
  const rows: [title: string, status: object, want: object | RegExp][] = [
    ['the Pod and its account', status, { namespace: 'ns', serviceAccount: 'sup', podName: 'pod-s1', podUid: 's1' }],
    ['nothing: not authenticated', { ...status, authenticated: false }, /does not know/],
    ['nothing: it does not say', { ...status, authenticated: undefined }, /does not know/],
    ['nothing: for another audience', { ...status, audiences: ['api'] }, /not for the audience/],
    ['nothing: no audience is named, so the server ignored ours', { ...status, audiences: undefined }, /not for the audience/],
    ['nothing: an audience that only begins so', { ...status, audiences: [`${AUDIENCE}-x`] }, /not for the audience/],
    ['nothing: a person', { ...status, user: { ...user, username: 'admin' } }, /no service account/],
    [
      'nothing: an account with a part too many',
      { ...status, user: { ...user, username: 'system:serviceaccount:ns:sup:x' } },
      /no service account/,
    ],
    ['nothing: bound to no Pod', { ...status, user: { username: user.username } }, /bound to no Pod/],
    [
      'nothing: a Pod without its UID',
      { ...status, user: { ...user, extra: { ...extra, 'authentication.kubernetes.io/pod-uid': undefined } } },
      /bound to no Pod/,
    ],
    [
      'nothing: two UIDs',
      { ...status, user: { ...user, extra: { ...extra, 'authentication.kubernetes.io/pod-uid': ['s1', 's2'] } } },
      /bound to no Pod/,
    ],
  ];
  test.each(rows)('%s', (_title, status, want) => {
    const read = outcome(readReview({ status }, AUDIENCE));
    if (want instanceof RegExp) expect(read).toMatch(want);
    else expect(read).toEqual(want);
  });
  test('nothing, when the answer is none', () => expect(outcome(readReview('x', AUDIENCE))).toMatch(/unauthenticated/));
});

describe('a reviewed token proves', () => {
  const token = { namespace: 'ns', serviceAccount: 'sup', podName: 'pod-s1', podUid: 's1' };
  const good: PodShape = { namespace: 'ns', serviceAccount: 'sup' };
  const prove = (
    shape: PodShape | undefined,
    change: object = {},
    uid = 's1',
    pool: Result<PoolId, string> = ok('blue' as PoolId),
  ) =>
    outcome(
      proveSupervisor(
        { ...token, ...change },
        { pod: shape === undefined ? undefined : pod(uid, shape), pool, accounts: ['ns/sup'] },
      ),
    );
  const rows: [title: string, got: unknown, want: object | RegExp][] = [
    ['a supervisor of its Pod’s pool', prove(good), { supervisorUid: 's1', poolId: 'blue', exclusive: false }],
    [
      'one whose predecessor is dead',
      prove({ ...good, containers: [{ name: 'main', restarts: 1 }] }),
      { supervisorUid: 's1', exclusive: true },
    ],
    ['one whose Pod is being deleted: it still drains', prove({ ...good, deleting: true }), { supervisorUid: 's1' }],
    ['one that is not ready yet: it joins first', prove({ ...good, ready: false }), { supervisorUid: 's1' }],
    [
      'nothing: the account of a workload',
      prove({ ...good, serviceAccount: 'app' }, { serviceAccount: 'app' }),
      /^unauthenticated: ns\/app is no service account/,
    ],
    [
      'nothing: that account in another namespace',
      prove({ ...good, namespace: 'evil' }, { namespace: 'evil' }),
      /^unauthenticated: evil\/sup/,
    ],
    ['nothing yet: the Pod is not to be seen', prove(undefined), /^not-ready: /],
    ['nothing: the Pod of that name has another UID', prove(good, {}, 's2'), /^not-ready: /],
    ['nothing: the UID is that of another Pod', prove(good, { podName: 'pod-x' }), /^unauthenticated: the UID s1/],
    ['nothing: the Pod runs as somebody else', prove({ ...good, serviceAccount: 'app' }), /^unauthenticated: .*runs as app/],
    ['nothing: the Pod has ended', prove({ ...good, phase: 'Failed' }), /^unauthenticated: .*has ended/],
    [
      'nothing: the Pod has no pool',
      prove(good, {}, 's1', err('the Pod is a workload, and no supervisor')),
      /^unauthenticated: .*is a workload/,
    ],
  ];
  test.each(rows)('%s', (_title, got, want) =>
    want instanceof RegExp ? expect(got).toMatch(want) : expect(got).toMatchObject(want),
  );
});

describe('what was reviewed', () => {
  const jwt = (exp: number): string => `x.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
  function create(authenticated = true) {
    const clock = createManualClock();
    const asked: unknown[] = [];
    const user = {
      username: 'system:serviceaccount:ns:sup',
      extra: { 'authentication.kubernetes.io/pod-name': ['p'], 'authentication.kubernetes.io/pod-uid': ['s1'] },
    };
    const post = async (_path: string, body: unknown) => {
      asked.push(body);
      return ok({ status: { authenticated, audiences: [AUDIENCE], user } });
    };
    return { clock, asked, review: createTokenReview({ post }, { audience: AUDIENCE, clock, nowMs: () => clock.now() }) };
  }
  const LONG = jwt(3_600);
  const rows: [title: string, act: (scene: ReturnType<typeof create>) => Promise<unknown>, asked: number][] = [
    ['is asked once', async ({ review }) => [await review(LONG), await review(LONG)], 1],
    ['is asked once by many at once', ({ review }) => Promise.all([review(LONG), review(LONG), review(LONG)]), 1],
    ['is asked again for another token', async ({ review }) => [await review(LONG), await review(jwt(3_601))], 2],
    [
      'is asked again after a while',
      async ({ review, clock }) => [await review(LONG), clock.advance(REVIEW_STANDS_MS), await review(LONG)],
      2,
    ],
    [
      'is not asked again before',
      async ({ review, clock }) => [await review(LONG), clock.advance(REVIEW_STANDS_MS - 1), await review(LONG)],
      1,
    ],
    [
      'stands no longer than the token',
      async ({ review, clock }) => [await review(jwt(2)), clock.advance(2_000), await review(jwt(2))],
      2,
    ],
    ['does not stand where one cannot tell how long', async ({ review }) => [await review('opaque'), await review('opaque')], 2],
  ];
  test.each(rows)('%s', async (_title, act, asked) => {
    const scene = create();
    await act(scene);
    expect(scene.asked).toHaveLength(asked);
  });
  test('and was refused is asked again each time', async () => {
    const scene = create(false);
    await scene.review(LONG);
    await scene.review(LONG);
    expect(scene.asked).toHaveLength(2);
  });
  test('names the audience, and no other', async () => {
    const scene = create();
    await scene.review(LONG);
    expect(scene.asked).toMatchObject([{ spec: { audiences: [AUDIENCE] } }]);
  });
});
