import { numberOf, objectOf, textOf } from '@sallyport/kube';

/** What a token says of itself; never the token. */
export interface TokenFacts {
  /** Whose it is; empty: it does not say. */
  readonly subject: string;
  /** Undefined: it does not say. */
  readonly endsAtMs: number | undefined;
}

/** Of a JWT, without asking whether anybody signed it: for explanations alone. */
export function tokenFacts(token: string | undefined): TokenFacts | undefined {
  if (token === undefined) return undefined;
  try {
    const { sub, exp } = objectOf(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
    const seconds = numberOf(exp);
    return { subject: textOf(sub), endsAtMs: seconds === 0 ? undefined : seconds * 1_000 };
  } catch {
    return { subject: '', endsAtMs: undefined };
  }
}
