import type { BoundaryClaims, FenceOrder, Mode } from '@sallyport/authority';
import {
  err,
  type Failure,
  failure,
  type Generation,
  isPort,
  type MemberId,
  type Nonce,
  type OwnerEpoch,
  type Result,
  type RuntimeId,
  type SandboxId,
} from '@sallyport/model';
import { type JWTPayload, SignJWT } from 'jose';
import { admitted, type Check } from './check.ts';
import type { SigningKeys } from './signing-keys.ts';
import { ISSUER, verifyToken } from './verify-token.ts';

/** Two audiences, so that neither can be taken for the other. */
const TOKEN_AUDIENCE = 'sallyport-boundary';
const FENCE_AUDIENCE = 'sallyport-boundary-fence';
/** Ports that one token may open: as many as a sandbox may have services, with room. */
export const BOUNDARY_PORTS_MAX = 1_024;

/**
 * What opens the boundary for the owner on record. It has no end of its own: the boundary counts from its own issue of the
 * nonce, so no two clocks are compared. Throws when no key can sign, which the gateway has checked at its start.
 */
export const signBoundaryToken = (keys: SigningKeys, claims: BoundaryClaims): Promise<string> =>
  sign(keys, TOKEN_AUDIENCE, claims.sandboxId, {
    generation: claims.generation,
    runtime: claims.runtimeId,
    epoch: claims.ownerEpoch.toString(),
    member: claims.memberId,
    nonce: claims.nonce,
    mode: claims.mode,
    ports: claims.ports,
  });

/** Only that a gateway signed it, and what it says: whether it holds now is the boundary's state to judge. */
export async function verifyBoundaryToken(keys: SigningKeys, token: string): Promise<Result<BoundaryClaims, Failure>> {
  const claims = ['sub', 'generation', 'runtime', 'epoch', 'member', 'nonce', 'mode', 'ports'];
  const verified = await verifyToken(keys, token, { audience: TOKEN_AUDIENCE, requiredClaims: claims, now: new Date() });
  if (!verified.ok) return verified;
  const { member, mode, ports } = verified.value;
  if (!Array.isArray(ports) || !ports.every((port) => typeof port === 'number' && isPort(port)))
    return err(failure('unauthenticated', 'the token names no ports'));
  return admitted((check) => ({
    ...readWhere(check, verified.value),
    ownerEpoch: readEpoch(check, verified.value),
    memberId: check.id<MemberId>('member', String(member)),
    mode: mode === 'shared' || mode === 'dedicated' ? (mode satisfies Mode) : check.fail<Mode>('mode is not known'),
    ports: check.list('ports', ports as number[], BOUNDARY_PORTS_MAX, (port) => port),
  }));
}

/** Signed only once `fencing` with this epoch is on record. */
export const signFence = (keys: SigningKeys, order: FenceOrder): Promise<string> =>
  sign(keys, FENCE_AUDIENCE, order.sandboxId, {
    generation: order.generation,
    runtime: order.runtimeId,
    epoch: order.epoch.toString(),
    nonce: order.nonce,
  });

export async function verifyFence(keys: SigningKeys, token: string): Promise<Result<FenceOrder, Failure>> {
  const claims = ['sub', 'generation', 'runtime', 'epoch', 'nonce'];
  const verified = await verifyToken(keys, token, { audience: FENCE_AUDIENCE, requiredClaims: claims, now: new Date() });
  if (!verified.ok) return verified;
  return admitted((check) => ({ ...readWhere(check, verified.value), epoch: readEpoch(check, verified.value) }));
}

async function sign(keys: SigningKeys, audience: string, subject: string, payload: JWTPayload): Promise<string> {
  const token = keys.sign(new SignJWT(payload).setIssuer(ISSUER).setAudience(audience).setSubject(subject));
  if (token === undefined) throw new Error('no key here can sign');
  return token;
}

const readWhere = (check: Check, { sub, generation, runtime, nonce }: JWTPayload) => ({
  sandboxId: check.id<SandboxId>('sub', String(sub)),
  generation: check.id<Generation>('generation', String(generation)),
  runtimeId: check.id<RuntimeId>('runtime', String(runtime)),
  nonce: check.nonce('nonce', String(nonce)) as Nonce,
});

const readEpoch = (check: Check, { epoch }: JWTPayload): OwnerEpoch =>
  check.epoch<OwnerEpoch>('epoch', typeof epoch === 'string' && /^\d{1,20}$/.test(epoch) ? BigInt(epoch) : 0n);
