import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { CREDENTIAL_LENGTH_MAX } from './check.ts';
import { ALGORITHM, type SigningKeys } from './signing-keys.ts';

/** Who signs all of our tokens. */
export const ISSUER = 'sallyport';
/** Clocks of signer and verifier may differ by this much; seconds. */
const CLOCK_SKEW_S = 5;

const refuse = (message: string): { readonly ok: false; readonly error: Failure } => err(failure('unauthenticated', message));

/**
 * The claims of a token that one of the keys signed for this audience and that has not run out. The refusal says which of
 * it failed, because people see it: above all `expired`, which only a new token mends.
 */
export async function verifyToken(
  keys: SigningKeys,
  token: string,
  {
    audience,
    requiredClaims,
    now,
  }: { readonly audience: string | string[]; readonly requiredClaims: string[]; readonly now: Date },
): Promise<Result<JWTPayload, Failure>> {
  if (token.length > CREDENTIAL_LENGTH_MAX) return refuse('the token is too long');
  const kid = keyIdOf(token);
  if (kid === undefined) return refuse('the token is not a signed JWT');
  const key = keys.verifier(kid.id);
  if (key === undefined) return refuse('the token was signed by a key that is not known here');
  const options: JWTVerifyOptions = {
    algorithms: [ALGORITHM],
    issuer: ISSUER,
    audience,
    requiredClaims,
    currentDate: now,
    clockTolerance: CLOCK_SKEW_S,
  };
  try {
    return ok((await jwtVerify(token, key, options)).payload);
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

/** Undefined: not even the header can be read. */
function keyIdOf(token: string): { readonly id: string | undefined } | undefined {
  try {
    return { id: decodeProtectedHeader(token).kid };
  } catch {
    return undefined;
  }
}

/** The word that clients look for to tell people that a new token is needed. */
export const TOKEN_EXPIRED = 'the token has expired';

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return TOKEN_EXPIRED;
  if (error instanceof errors.JOSEAlgNotAllowed) return `the token is not signed with ${ALGORITHM}`;
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'aud' ? 'the token is for another audience' : `the token's claim "${error.claim}" does not hold`;
  }
  return 'the token is not validly signed';
}
