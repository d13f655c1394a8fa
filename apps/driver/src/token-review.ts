import { type KubeClient, listOf, objectOf, QUESTION_MS, textOf, within } from '@sallyport/kube';
import { err, type Failure, failure, type Instant, later, ok, type Result } from '@sallyport/model';
import { type Clock, sha256hex } from '@sallyport/process';

/** What a projected service account token proves. */
export interface ReviewedToken {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly podName: string;
  readonly podUid: string;
}

export type ReviewToken = (token: string) => Promise<Result<ReviewedToken, Failure>>;

/** How long a token that was taken is taken again without asking: this much later than its Pod a session may still open. */
export const REVIEW_STANDS_MS = 10_000;
const REMEMBERED_MAX = 4_096;
/** Reviews under way; more than a start of a whole fleet needs. */
const UNDER_WAY_MAX = 256;
const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';

/** Asks the API server, for exactly this audience. Only what was taken is remembered, by the token's hash and not for long. */
export function createTokenReview(
  client: Pick<KubeClient, 'post'>,
  { audience, clock, nowMs }: { readonly audience: string; readonly clock: Clock; readonly nowMs: () => number },
): ReviewToken {
  const taken = new Map<string, { readonly token: ReviewedToken; readonly until: Instant }>();
  const underWay = new Map<string, Promise<Result<ReviewedToken, Failure>>>();

  async function review(hash: string, token: string): Promise<Result<ReviewedToken, Failure>> {
    const askedAt = clock.now();
    const remainingMs = lifeOf(token, nowMs());
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences: [audience] } };
    const answer = await within(clock, QUESTION_MS, (signal) => client.post(PATH, body, signal));
    // What the server says may repeat the token; its kind is enough.
    if (!answer.ok) return err(failure('not-ready', `the API server reviews no tokens: ${answer.error.kind}`));
    const read = readReview(answer.value, audience);
    if (!read.ok) return read;
    taken.set(hash, { token: read.value, until: later(askedAt, Math.min(REVIEW_STANDS_MS, remainingMs)) });
    if (taken.size > REMEMBERED_MAX) taken.delete(taken.keys().next().value as string);
    return read;
  }

  return (token) => {
    const hash = sha256hex(token);
    const known = taken.get(hash);
    if (known !== undefined && clock.now() < known.until) return Promise.resolve(ok(known.token));
    taken.delete(hash);
    const same = underWay.get(hash);
    if (same !== undefined) return same;
    if (underWay.size >= UNDER_WAY_MAX) return Promise.resolve(err(failure('over-limit', 'too many tokens are being reviewed')));
    const asked = review(hash, token).finally(() => underWay.delete(hash));
    underWay.set(hash, asked);
    return asked;
  };
}

/** Pure: the API's answer, judged. Nothing that it leaves out is assumed. */
export function readReview(answer: unknown, audience: string): Result<ReviewedToken, Failure> {
  const refused = (why: string) => err(failure('unauthenticated', why));
  const { authenticated, audiences, user } = objectOf(objectOf(answer).status);
  if (authenticated !== true) return refused('the API server does not know the token');
  // A server that ignores audiences leaves them out: then the token may be meant for anybody.
  if (!listOf(audiences).includes(audience)) return refused(`the token is not for the audience ${audience}`);
  const { username, extra } = objectOf(user);
  const [, namespace = '', serviceAccount = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(textOf(username)) ?? [];
  if (serviceAccount === '') return refused('the token is of no service account');
  const only = (name: string): string => {
    const values = listOf(objectOf(extra)[`authentication.kubernetes.io/${name}`]);
    return values.length === 1 ? textOf(values[0]) : '';
  };
  const [podName, podUid] = [only('pod-name'), only('pod-uid')];
  if (podName === '' || podUid === '') return refused('the token is bound to no Pod');
  return ok({ namespace, serviceAccount, podName, podUid });
}

/** Of a token that says when it ends; one that does not is none that we know. */
function lifeOf(token: string, nowMs: number): number {
  try {
    const { exp } = objectOf(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
    return typeof exp === 'number' ? Math.max(0, exp * 1_000 - nowMs) : 0;
  } catch {
    return 0;
  }
}
