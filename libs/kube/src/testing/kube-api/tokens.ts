import { randomUUID } from 'node:crypto';
import type { ObjectStore } from './object-store.ts';

/** A service account token, as the API server knows it. */
export interface AccountToken {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  readonly audiences: readonly string[];
}

/** Tokens of service accounts: issued, and reviewed as `authentication.k8s.io/v1` has it. */
export interface Tokens {
  issue(token: AccountToken): string;
  revoke(token: string): void;
  /** Whose it is, if it is for the API server itself and still holds. */
  usernameOf(token: string): string | undefined;
  review(request: unknown): object;
}

export const API_AUDIENCE = 'https://kubernetes.default.svc';

export function createTokens(store: ObjectStore, unixMs: () => number): Tokens {
  const issued = new Map<string, AccountToken>();
  // A bound token ends with its Pod.
  const isBound = ({ namespace, pod }: AccountToken): boolean =>
    pod === undefined || store.get('pods', namespace, pod.name)?.metadata.uid === pod.uid;
  const usernameOf = ({ namespace, serviceAccount }: AccountToken): string =>
    `system:serviceaccount:${namespace}:${serviceAccount}`;

  return {
    issue(token) {
      const claims = { exp: Math.floor(unixMs() / 1_000) + 3_600, aud: token.audiences, jti: randomUUID() };
      const text = ['{}', JSON.stringify(claims), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');
      issued.set(text, token);
      return text;
    },
    revoke: (token) => void issued.delete(token),
    usernameOf(token) {
      const found = issued.get(token);
      return found?.audiences.includes(API_AUDIENCE) === true && isBound(found) ? usernameOf(found) : undefined;
    },
    review(request) {
      const { spec } = request as { readonly spec?: { readonly token?: string; readonly audiences?: readonly string[] } };
      const token = issued.get(spec?.token ?? '');
      const wanted = spec?.audiences ?? [API_AUDIENCE];
      const audiences = token?.audiences.filter((audience) => wanted.includes(audience)) ?? [];
      const answer = (status: object) => ({
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: {},
        spec,
        status,
      });
      if (token === undefined) return answer({ user: {}, error: '[invalid bearer token]' });
      if (audiences.length === 0)
        return answer({
          user: {},
          error: `[invalid bearer token, token audiences [${token.audiences.join(' ')}] is invalid for the target audiences [${wanted.join(' ')}]]`,
        });
      const { namespace, serviceAccount, pod } = token;
      if (!isBound(token))
        return answer({ user: {}, error: '[invalid bearer token, service account token has been invalidated]' });
      return answer({
        authenticated: true,
        user: {
          username: usernameOf(token),
          uid: `uid-of-${serviceAccount}`,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
          extra:
            pod === undefined
              ? {}
              : { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] },
        },
        audiences,
      });
    },
  };
}
