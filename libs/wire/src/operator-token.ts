import { err, type Failure, failure, ok, parseWorkspaceId, type Result, type WorkspaceId } from '@sallyport/model';
import { type JWTPayload, SignJWT } from 'jose';
import type { Operator, Role } from './roles.ts';
import type { SigningKeys } from './signing-keys.ts';
import { ISSUER, verifyToken } from './verify-token.ts';

/** Gateways take operator tokens only; discovery takes both. */
export const OPERATOR_AUDIENCE = 'sallyport-operators';
export const DISCOVERY_AUDIENCE = 'sallyport-discovery';

/** Visible ASCII: it is logged, and part of a key. */
const PRINCIPAL = /^[\x21-\x7e]{1,100}$/;
export const isPrincipal = (text: string): boolean => PRINCIPAL.test(text);

/** Workspaces in one token: it travels in a header with each call. */
export const TOKEN_WORKSPACES_MAX = 64;

/** Throws when no key can sign. A `reader` gets a token for discovery, everybody else one for gateways and discovery. */
export async function signOperatorToken(
  keys: SigningKeys,
  { principal, role }: Operator,
  lifetimeMs: number,
  now: Date = new Date(),
): Promise<string> {
  const workspaces = 'workspaces' in role ? role.workspaces : 'all';
  const claims = new SignJWT({ role: role.kind, workspaces })
    .setIssuer(ISSUER)
    .setAudience(role.kind === 'reader' ? DISCOVERY_AUDIENCE : OPERATOR_AUDIENCE)
    .setSubject(principal)
    .setIssuedAt(now)
    .setExpirationTime(new Date(now.getTime() + lifetimeMs));
  const token = keys.sign(claims);
  if (token === undefined) throw new Error('no key here can sign');
  return token;
}

/** Refuses as `unauthenticated`, with the reason; `TOKEN_EXPIRED` when it has run out. */
export async function verifyOperatorToken(
  keys: SigningKeys,
  token: string,
  audience: 'gateway' | 'discovery',
  now: Date = new Date(),
): Promise<Result<Operator, Failure>> {
  const audiences = audience === 'gateway' ? OPERATOR_AUDIENCE : [OPERATOR_AUDIENCE, DISCOVERY_AUDIENCE];
  const verified = await verifyToken(keys, token, { audience: audiences, requiredClaims: ['sub', 'exp', 'role'], now });
  if (!verified.ok) return verified;
  const { sub, role } = verified.value;
  const read = readRole(verified.value);
  if (read === undefined)
    return err(
      failure(
        'unauthenticated',
        `the token's role ${JSON.stringify(String(role).slice(0, 40))} or its workspaces cannot be used`,
      ),
    );
  if (sub === undefined || !isPrincipal(sub)) return err(failure('unauthenticated', "the token's subject cannot be used"));
  return ok({ principal: sub, role: read });
}

/** A role that is not understood is none: never a lesser one that happens to be allowed something. */
function readRole({ role, workspaces }: JWTPayload): Role | undefined {
  if (role === 'admin') return { kind: 'admin' };
  const named = workspaces === 'all' ? 'all' : readWorkspaces(workspaces);
  if (named === undefined) return undefined;
  if (role === 'viewer' || role === 'reader') return { kind: role, workspaces: named };
  return role === 'editor' && named !== 'all' ? { kind: 'editor', workspaces: named } : undefined;
}

function readWorkspaces(claim: unknown): readonly WorkspaceId[] | undefined {
  if (!Array.isArray(claim) || claim.length > TOKEN_WORKSPACES_MAX) return undefined;
  const read: WorkspaceId[] = [];
  for (const name of claim) {
    const workspace = parseWorkspaceId(String(name));
    if (!workspace.ok) return undefined;
    read.push(workspace.value);
  }
  return read;
}
