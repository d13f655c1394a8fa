import type { CredentialEpoch, Failure, Generation, PoolId, Result, SandboxId } from '@sallyport/model';
import { SignJWT } from 'jose';
import { admitted } from './check.ts';
import type { SigningKeys } from './signing-keys.ts';
import { ISSUER, verifyToken } from './verify-token.ts';

const AUDIENCE = 'sallyport-supervisor';

/** What a sandbox token proves: its holder is a supervisor of this sandbox, for this epoch in this life of the store. */
export interface SandboxClaims {
  readonly sandboxId: SandboxId;
  readonly poolId: PoolId;
  readonly credentialEpoch: CredentialEpoch;
  readonly generation: Generation;
}

/**
 * Has no end of its own: the supervisor it is given to could not fetch another. It dies with its epoch (bumped to revoke
 * it), its sandbox and its generation, so whoever verifies it must compare those with the record. Throws when no key can
 * sign, which the gateway has checked at its start.
 */
export async function signSandboxToken(
  keys: SigningKeys,
  { sandboxId, poolId, credentialEpoch, generation }: SandboxClaims,
): Promise<string> {
  const claims = new SignJWT({ pool: poolId, epoch: credentialEpoch.toString(), generation })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(sandboxId)
    .setIssuedAt();
  const token = keys.sign(claims);
  if (token === undefined) throw new Error('no key here can sign');
  return token;
}

/** Only that it was signed, for whom and which epoch: whether that epoch still stands is on record. */
export async function verifySandboxToken(
  keys: SigningKeys,
  token: string,
  now: Date = new Date(),
): Promise<Result<SandboxClaims, Failure>> {
  const verified = await verifyToken(keys, token, {
    audience: AUDIENCE,
    requiredClaims: ['sub', 'pool', 'epoch', 'generation'],
    now,
  });
  if (!verified.ok) return verified;
  const { sub, pool, epoch, generation } = verified.value;
  return admitted((check) => ({
    sandboxId: check.id<SandboxId>('sub', String(sub)),
    poolId: check.id<PoolId>('pool', String(pool)),
    credentialEpoch: check.epoch<CredentialEpoch>('epoch', /^\d{1,20}$/.test(String(epoch)) ? BigInt(String(epoch)) : 0n),
    generation: check.id<Generation>('generation', String(generation)),
  }));
}
