import type { Scope } from '@sallyport/catalog';
import { err, type Failure, failure, ok, parseWorkspaceId, type Result, type WorkspaceId } from '@sallyport/model';
import { CREDENTIAL_LENGTH_MAX, isPrincipal, TOKEN_EXPIRED } from '@sallyport/wire';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Credential, VerifyCredential } from './credentials.ts';
import type { Jwks } from './jwks.ts';

/** An issuer of tokens that is not us: an identity provider, or a cluster's own. */
export interface Issuer {
  readonly issuer: string;
  readonly audience: string;
  readonly jwks: Jwks;
  /** Stands before each subject, so that the issuer cannot name somebody else's principal. */
  readonly principalPrefix: string;
  /** Claim with the list of workspaces. A token without it is bounded by its grant alone. */
  readonly workspacesClaim: string;
}

/** A verifier that lets the token choose among all there are can be talked into a weak one. */
export const JWT_ALGORITHMS = ['ES256', 'EdDSA', 'RS256'];
const CLOCK_SKEW_S = 5;
const WORKSPACES_MAX = 1_000;

const refuse = (message: string): Result<never, Failure> => err(failure('unauthenticated', message));

/** Tokens of that issuer. All of its bearers are readers: they see what their grant names, and nothing without one. */
export const issuedCredentials =
  ({ issuer, audience, jwks, principalPrefix, workspacesClaim }: Issuer): VerifyCredential =>
  async (token) => {
    if (token.length > CREDENTIAL_LENGTH_MAX) return refuse('the token is too long');
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, jwks.getKey, {
        algorithms: JWT_ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_SKEW_S,
      }));
    } catch (error) {
      return refuse(reasonOf(error));
    }
    const principal = `${principalPrefix}${payload.sub ?? ''}`;
    if (!isPrincipal(principal)) return refuse("the token's subject cannot be used");
    const workspaces = workspacesIn(payload[workspacesClaim]);
    if (workspaces === undefined) return refuse(`the token's claim "${workspacesClaim}" is no list of workspaces`);
    const credential: Credential = { principal, workspaces, needsGrant: true, expiresAtUnixMs: (payload.exp ?? 0) * 1_000 };
    return ok(credential);
  };

/** By the issuer that the token names; what it claims is verified by that one. */
export const eitherCredential =
  (own: VerifyCredential, issued: VerifyCredential, issuer: string): VerifyCredential =>
  (token) => {
    try {
      return decodeJwt(token).iss === issuer ? issued(token) : own(token);
    } catch {
      return own(token);
    }
  };

function workspacesIn(claim: unknown): Scope | undefined {
  if (claim === undefined) return 'all';
  if (!Array.isArray(claim) || claim.length > WORKSPACES_MAX) return undefined;
  const read = new Set<WorkspaceId>();
  for (const name of claim) {
    const workspace = parseWorkspaceId(String(name));
    if (!workspace.ok) return undefined;
    read.add(workspace.value);
  }
  return read;
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return TOKEN_EXPIRED;
  if (error instanceof errors.JOSEAlgNotAllowed) return `the token is not signed with one of ${JWT_ALGORITHMS.join(', ')}`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'the token was signed by a key that its issuer does not publish';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'aud' ? 'the token is for another audience' : `the token's claim "${error.claim}" does not hold`;
  if (error instanceof errors.JOSEError) return 'the token is not validly signed';
  return `the keys of its issuer are not to be had: ${(error as Error).message}`;
}
