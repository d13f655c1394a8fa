import type { Scope } from '@sallyport/catalog';
import { type Failure, ok, type Result } from '@sallyport/model';
import { type SigningKeys, verifyOperatorToken } from '@sallyport/wire';
import { decodeJwt } from 'jose';

/** What a credential says that holds. */
export interface Credential {
  readonly principal: string;
  /** What the credential itself allows. */
  readonly workspaces: Scope;
  /** Readers see only what a grant names as well; operators see what their role does. */
  readonly needsGrant: boolean;
  /** Wall clock, milliseconds since 1970. */
  readonly expiresAtUnixMs: number;
}

/** Refuses as `unauthenticated`, with the reason. */
export type VerifyCredential = (token: string) => Promise<Result<Credential, Failure>>;

/** Tokens under the installation's own keys. */
export const ownCredentials =
  (keys: SigningKeys): VerifyCredential =>
  async (token) => {
    const verified = await verifyOperatorToken(keys, token, 'discovery');
    if (!verified.ok) return verified;
    const { principal, role } = verified.value;
    const named = 'workspaces' in role ? role.workspaces : 'all';
    return ok({
      principal,
      workspaces: named === 'all' ? 'all' : new Set(named),
      needsGrant: role.kind === 'reader',
      expiresAtUnixMs: (decodeJwt(token).exp ?? 0) * 1_000,
    });
  };
