import type { BoundaryClaims, FenceOrder, ReportingSession, World } from '@sallyport/authority';
import type { Nonce, OwnerEpoch, Result, SandboxId } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import type { AskedFence, GatewayMessage, ServingLease } from '@sallyport/session';

/** What signs for boundaries, and believes them. */
export interface BoundaryAuthority {
  token(claims: BoundaryClaims): Promise<string>;
  fence(order: FenceOrder): Promise<string>;
  /** Whether it is the word of the boundary of that very runtime; the error is for the log. */
  believes(answer: Uint8Array, order: FenceOrder): Promise<Result<void, string>>;
}

/** The gateway's part in fencing beside the application. */
export interface Boundaries {
  /** The lease with a token for that nonce. Made within the step that judged: the owner is the one on record. */
  lease(session: ReportingSession, lease: ServingLease, nonce: Nonce): Promise<ServingLease>;
  /** Undefined: nothing can be signed now. */
  fence(session: ReportingSession, fence: AskedFence): Promise<GatewayMessage | undefined>;
  answered(session: ReportingSession, fence: AskedFence, answer: Uint8Array): Promise<void>;
}

export interface BoundariesOptions {
  readonly world: World;
  /** Undefined: this installation has none. */
  readonly authority: BoundaryAuthority | undefined;
  /** Nothing below this epoch reaches the application any more. */
  readonly onConfirmed: (sandboxId: SandboxId, epoch: OwnerEpoch) => void;
  readonly log: Log;
}

export function createBoundaries({ world, authority, onConfirmed, log }: BoundariesOptions): Boundaries {
  function orderOf(sandboxId: SandboxId, { epoch, runtimeId, nonce }: AskedFence): FenceOrder | undefined {
    const generation = world.generation?.value;
    return generation === undefined ? undefined : { sandboxId, generation, runtimeId, epoch, nonce };
  }

  function claimsOf({ sandboxId, memberId }: ReportingSession, ownerEpoch: OwnerEpoch, nonce: Nonce): BoundaryClaims | undefined {
    const generation = world.generation?.value;
    const sandbox = world.sandboxes.get(sandboxId)?.value;
    const services = world.configs.get(sandboxId)?.value.services;
    if (generation === undefined || sandbox === undefined || services === undefined) return undefined;
    const ports = [...new Set(services.map(({ port }) => port))];
    return { sandboxId, generation, runtimeId: sandbox.runtimeId, ownerEpoch, memberId, nonce, mode: sandbox.mode, ports };
  }

  return {
    async lease(session, lease, nonce) {
      const claims = claimsOf(session, lease.ownerEpoch, nonce);
      if (authority === undefined || claims === undefined) return lease;
      return { ...lease, boundaryToken: await authority.token(claims) };
    },
    async fence({ sandboxId, memberId }, fence) {
      const order = orderOf(sandboxId, fence);
      if (authority === undefined || order === undefined) return undefined;
      log.info({ sandboxId, memberId, ownerEpoch: fence.epoch, runtimeId: fence.runtimeId }, 'fence given to a member to carry');
      return { kind: 'fence', token: await authority.fence(order) };
    },
    async answered({ sandboxId, memberId }, fence, answer) {
      const order = orderOf(sandboxId, fence);
      if (authority === undefined || order === undefined) return;
      const believed = await authority.believes(answer, order);
      const facts = { sandboxId, memberId, ownerEpoch: fence.epoch, runtimeId: fence.runtimeId };
      if (!believed.ok) return log.warn({ ...facts, why: believed.error }, 'answer to a fence not believed');
      log.info(facts, 'the boundary has confirmed the fence');
      onConfirmed(sandboxId, fence.epoch);
    },
  };
}
