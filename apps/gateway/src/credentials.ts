import { createHash } from 'node:crypto';
import type { World } from '@sallyport/authority';
import { err, type Failure, failure, fenced, ok, type PoolId, type Result, type SandboxId } from '@sallyport/model';
import { type SigningKeys, verifySandboxToken } from '@sallyport/wire';
import type { Driver } from './driver.ts';

/** What a supervisor's credential proves. */
export interface SupervisorProof {
  readonly poolId: PoolId;
  /** As the driver knows the supervisor; empty where a sandbox token proved it. */
  readonly supervisorUid: string;
  /** The driver is certain that every earlier supervisor with this uid is dead. Absent: it is not. */
  readonly exclusive?: boolean;
  /** A sandbox token proves its holder for this sandbox alone. */
  readonly sandboxId: SandboxId | undefined;
}

export type ProveSupervisor = (credential: string) => Promise<Result<SupervisorProof, Failure>>;

/** A token that this gateway signed, compared with the record as it is now; or one that the driver knows. */
export function createSupervisorProof(world: World, keys: SigningKeys, driver: Driver): ProveSupervisor {
  return async (credential) => {
    const own = await verifySandboxToken(keys, credential);
    if (!own.ok) return driver.authenticate(credential);
    const { sandboxId, poolId, credentialEpoch, generation } = own.value;
    if (generation !== world.generation?.value)
      return err(fenced('generation', 'the token is from before the store was restored'));
    if (world.sandboxes.get(sandboxId)?.value.poolId !== poolId)
      return err(failure('unauthenticated', 'the token is for a sandbox that no longer exists'));
    if (world.credentials.get(sandboxId)?.value !== credentialEpoch) return err(fenced('credential', 'the token was revoked'));
    return ok({ poolId, supervisorUid: '', sandboxId });
  };
}

/** So that a credential can be recognised again without being kept. */
export const fingerprint = (credential: string): string => createHash('sha256').update(credential).digest('base64url');
