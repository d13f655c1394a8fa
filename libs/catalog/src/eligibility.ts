import {
  type Held,
  type Installation,
  ownerRevision,
  READER_MARGIN_MS,
  type SessionRecord,
  type World,
} from '@sallyport/authority';
import { err, type Instant, LONG_AGO, later, ok, type Result, type SandboxId, type WorkspaceId } from '@sallyport/model';
import type { Evidence } from './evidence.ts';

/** The first clause that does not hold, in the order in which they are judged. */
export type Ineligible =
  | 'generation'
  | 'sandbox'
  | 'installation'
  | 'owner'
  | 'session'
  | 'configuration'
  | 'credential'
  | 'member'
  | 'renewal';

/** One sandbox's installation whose fence stands: everything about it that is not a matter of time. */
export interface Standing {
  readonly workspace: WorkspaceId;
  readonly installation: Installation;
  readonly session: SessionRecord;
}

/** One that may be shown, and until when. */
export interface Eligible extends Standing {
  /** By the clock that the evidence was counted on; the reader margin is taken off. */
  readonly until: Instant;
}

/** Until when a record may be shown that has evidence until then. */
export const shownUntil = (evidenceUntil: Instant): Instant => later(evidenceUntil, -READER_MARGIN_MS);

/**
 * Whether one sandbox's installation may be shown now (DESIGN section 8): its owner is `owned`, each revision that was
 * judged for it still stands, and its session was renewed freshly enough. One cache state, one answer.
 */
export function judgeEligible(
  world: World,
  evidence: Evidence,
  sandboxId: SandboxId,
  now: Instant,
): Result<Eligible, Ineligible> {
  const standing = judgeFence(world, sandboxId);
  if (!standing.ok) return standing;
  const until = shownUntil(evidence.until(standing.value.session));
  return until > now ? ok({ ...standing.value, until }) : err('renewal');
}

/** All of it but the time: the owner and the fence tuple. Of another installation than the present one: would it stand? */
export function judgeFence(
  world: World,
  sandboxId: SandboxId,
  held: Held<Installation> | undefined = world.installations.get(sandboxId),
): Result<Standing, Ineligible> {
  if (held === undefined) return err('installation');
  const installation = held.value;
  const { fence, memberId } = installation;
  if (world.generation?.value !== fence.generation) return err('generation');
  const sandbox = world.sandboxes.get(sandboxId);
  if (sandbox?.modRevision !== fence.sandbox) return err('sandbox');
  const owner = world.owners.get(sandboxId);
  if (owner?.value.kind !== 'owned' || owner.value.by !== memberId || owner.modRevision !== ownerRevision(held))
    return err('owner');
  const session = world.session(sandboxId, memberId);
  if (session?.modRevision !== fence.session || session.value.sessionId !== installation.renewal.sessionId) return err('session');
  if (world.configs.get(sandboxId)?.modRevision !== fence.config) return err('configuration');
  if (world.credentials.get(sandboxId)?.modRevision !== fence.credential) return err('credential');
  // Its create-revision: a draining member keeps what it owns.
  if (world.members(sandbox.value.poolId).get(memberId)?.createRevision !== fence.memberCreated) return err('member');
  return ok({ workspace: sandbox.value.workspace, installation, session: session.value });
}

/**
 * Whether a replica that has just begun has heard of everything that may be shown: until then it would show a smaller
 * world than there is. `false` means: somebody's next renewal is still to come.
 */
export function isHeard(world: World, evidence: Evidence): boolean {
  if (!evidence.hasEcho()) return false;
  for (const sandboxId of world.installations.keys()) {
    const standing = judgeFence(world, sandboxId);
    if (standing.ok && evidence.until(standing.value.session) === LONG_AGO) return false;
  }
  return true;
}
