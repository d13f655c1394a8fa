import {
  type Boundary,
  type BoundaryClaims,
  type BoundaryRefusal,
  type FenceOrder,
  issueNonce,
  mayForward,
  mayOpen,
  obeyFence,
  presentToken,
  startBoundary,
  sweepBoundary,
} from '@sallyport/authority';
import { err, type Nonce, type OwnerEpoch, ok, type Result, type RuntimeId } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/** The one holder of the boundary's state: every token and fence comes through here, and every chunk asks it. */
export interface Guard {
  issue(): Result<Nonce, BoundaryRefusal>;
  /** Opens or prolongs a right. The same token may be presented again and again. */
  present(token: string): Promise<Result<BoundaryClaims, BoundaryRefusal | 'token_invalid'>>;
  /** Obeyed by the time it resolves: what was below is closed. */
  fence(token: string): Promise<Result<FenceOrder, BoundaryRefusal | 'token_invalid'>>;
  mayOpen(epoch: OwnerEpoch, port: number): Result<unknown, BoundaryRefusal>;
  mayForward(epoch: OwnerEpoch, port: number): boolean;
  state(): Boundary;
  sweep(): void;
}

export interface GuardOptions {
  readonly runtimeId: RuntimeId;
  readonly verify: Verify;
  readonly clock: Clock;
  readonly randomId: () => string;
  /** Rights have changed: what is open may have to close, in this very turn. */
  readonly onChange: () => void;
}

/** Whether a gateway signed it, and what it says; why not is nobody's business. */
export interface Verify {
  token(token: string): Promise<Result<BoundaryClaims, unknown>>;
  fence(token: string): Promise<Result<FenceOrder, unknown>>;
}

/** Tokens whose signature was found good: one is presented with every channel. */
const VERIFIED_MAX = 64;

export function createGuard({ runtimeId, verify, clock, randomId, onChange }: GuardOptions): Guard {
  let state = startBoundary(runtimeId);
  const verified = new Map<string, BoundaryClaims>();

  function take(next: Result<Boundary, BoundaryRefusal>): Result<void, BoundaryRefusal> {
    if (!next.ok) return next;
    state = next.value;
    onChange();
    return ok(undefined);
  }

  async function claimsIn(token: string): Promise<BoundaryClaims | undefined> {
    const known = verified.get(token);
    if (known !== undefined) return known;
    const claims = await verify.token(token);
    if (!claims.ok) return undefined;
    verified.set(token, claims.value);
    for (const oldest of verified.keys()) {
      if (verified.size <= VERIFIED_MAX) break;
      verified.delete(oldest);
    }
    return claims.value;
  }

  return {
    issue() {
      const nonce = randomId() as Nonce;
      const taken = take(issueNonce(state, nonce, clock.now()));
      return taken.ok ? ok(nonce) : taken;
    },
    async present(token) {
      const claims = await claimsIn(token);
      if (claims === undefined) return err('token_invalid');
      const taken = take(presentToken(state, claims, clock.now()));
      return taken.ok ? ok(claims) : taken;
    },
    async fence(token) {
      const order = await verify.fence(token);
      if (!order.ok) return err('token_invalid');
      const taken = take(obeyFence(state, order.value, clock.now()));
      return taken.ok ? order : taken;
    },
    mayOpen: (epoch, port) => mayOpen(state, epoch, port, clock.now()),
    mayForward: (epoch, port) => mayForward(state, epoch, port, clock.now()),
    state: () => state,
    sweep() {
      state = sweepBoundary(state, clock.now());
    },
  };
}
