import {
  earliest,
  err,
  type Generation,
  type Instant,
  later,
  type MemberId,
  type Nonce,
  type OwnerEpoch,
  ok,
  type Result,
  type RuntimeId,
  type SandboxId,
} from '@sallyport/model';
import type { Mode } from './records.ts';
import { BOUNDARY_DEDICATED_MS, BOUNDARY_NONCES_MAX, BOUNDARY_OVERLAP_MS, BOUNDARY_SHARED_MS } from './timers.ts';

/**
 * Who may reach the application, decided beside it (DESIGN section 5). A supervisor's right lives on the boundary's own
 * clock, from a nonce that only this life of the boundary can have issued; and an epoch once left behind is refused for
 * good. So an owner that is merely paused, even with its whole machine, can reach nothing after it was fenced.
 */
export interface Boundary {
  /** Which life of the workload it stands in: by its certificate, not by anybody's word. */
  readonly runtimeId: RuntimeId;
  /** Whose epochs these are; learned from the first signed word about this runtime. */
  readonly pin: Pin | undefined;
  readonly highestEpoch: OwnerEpoch;
  /** Issued by this life, with when; oldest first. A restart knows none, which voids all tokens. */
  readonly nonces: ReadonlyMap<Nonce, Instant>;
  readonly rights: ReadonlyMap<OwnerEpoch, Right>;
}

/** Sandbox and life of the store: epochs of different ones do not compare. */
export interface Pin {
  readonly sandboxId: SandboxId;
  readonly generation: Generation;
}

/** Leave of one tenure to reach the application. */
export interface Right {
  readonly memberId: MemberId;
  /** Declared by the configuration under which the token was signed. */
  readonly ports: readonly number[];
  /** Issue of the newest nonce that prolonged it. */
  readonly nonceAt: Instant;
  readonly until: Instant;
  /** False: left behind by a graceful change; what is open may go on until then. */
  readonly admits: boolean;
}

/** What a gateway signs for the owner on record. */
export interface BoundaryClaims extends Pin {
  readonly runtimeId: RuntimeId;
  readonly ownerEpoch: OwnerEpoch;
  readonly memberId: MemberId;
  readonly nonce: Nonce;
  readonly mode: Mode;
  readonly ports: readonly number[];
}

/** What a gateway signs once `fencing` is on record: refuse every epoch below this one. */
export interface FenceOrder extends Pin {
  /** The runtime that the old epoch served. */
  readonly runtimeId: RuntimeId;
  readonly epoch: OwnerEpoch;
  /** The gateway's: the answer repeats it. */
  readonly nonce: Nonce;
}

export type BoundaryRefusal =
  | 'other_runtime'
  | 'other_sandbox'
  | 'other_generation'
  | 'nonce_unknown'
  | 'nonce_expired'
  | 'epoch_fenced'
  | 'other_member'
  | 'no_right'
  | 'port_not_declared'
  | 'too_many_nonces';

export const startBoundary = (runtimeId: RuntimeId): Boundary => ({
  runtimeId,
  pin: undefined,
  highestEpoch: 0n as OwnerEpoch,
  nonces: new Map(),
  rights: new Map(),
});

const lifeOf = (mode: Mode): number => (mode === 'shared' ? BOUNDARY_SHARED_MS : BOUNDARY_DEDICATED_MS);

/** A nonce for the next report; refused, never forgotten early, when too many are alive. */
export function issueNonce(state: Boundary, nonce: Nonce, now: Instant): Result<Boundary, BoundaryRefusal> {
  const nonces = new Map([...state.nonces].filter(([, at]) => now < later(at, BOUNDARY_DEDICATED_MS)));
  if (nonces.size >= BOUNDARY_NONCES_MAX) return err('too_many_nonces');
  return ok({ ...state, nonces: nonces.set(nonce, now) });
}

/** A token whose signature holds: opens or prolongs the right of its tenure, and leaves lower epochs behind. */
export function presentToken(state: Boundary, claims: BoundaryClaims, now: Instant): Result<Boundary, BoundaryRefusal> {
  const nonceAt = state.nonces.get(claims.nonce);
  if (claims.runtimeId !== state.runtimeId) return err('other_runtime');
  if (nonceAt === undefined) return err('nonce_unknown');
  const until = later(nonceAt, lifeOf(claims.mode));
  if (now >= until) return err('nonce_expired');
  const pinned = pinTo(state, claims, now, new Map([[claims.nonce, nonceAt]]));
  if (!pinned.ok) return pinned;
  const known = pinned.value;
  if (claims.ownerEpoch < known.highestEpoch) return err('epoch_fenced');
  const present = known.rights.get(claims.ownerEpoch);
  // One epoch, one owner: whatever says otherwise is not to be believed.
  if (present !== undefined && present.memberId !== claims.memberId) return err('other_member');
  // Presented late or again: what is known is newer.
  if (present !== undefined && nonceAt <= present.nonceAt && present.until >= until) return ok(known);
  const right: Right = { memberId: claims.memberId, ports: claims.ports, nonceAt, until, admits: true };
  const rights = new Map(claims.ownerEpoch > known.highestEpoch ? outlived(known.rights, now) : known.rights);
  return ok({ ...known, highestEpoch: claims.ownerEpoch, rights: rights.set(claims.ownerEpoch, right) });
}

/** Signed word that a tenure was ended without its consent: nothing below this epoch lives on, not even what is open. */
export function obeyFence(state: Boundary, order: FenceOrder, now: Instant): Result<Boundary, BoundaryRefusal> {
  if (order.runtimeId !== state.runtimeId) return err('other_runtime');
  const pinned = pinTo(state, order, now, new Map());
  if (!pinned.ok) return pinned;
  const rights = new Map([...pinned.value.rights].filter(([epoch]) => epoch >= order.epoch));
  if (order.epoch <= pinned.value.highestEpoch) return ok({ ...pinned.value, rights });
  return ok({ ...pinned.value, highestEpoch: order.epoch, rights });
}

/** Whether one more connection may be made under this epoch. */
export function mayOpen(state: Boundary, epoch: OwnerEpoch, port: number, now: Instant): Result<Right, BoundaryRefusal> {
  const right = state.rights.get(epoch);
  if (right === undefined) return err(epoch < state.highestEpoch ? 'epoch_fenced' : 'no_right');
  if (!right.admits) return err('epoch_fenced');
  if (now >= right.until) return err('nonce_expired');
  return right.ports.includes(port) ? ok(right) : err('port_not_declared');
}

/** Asked for every chunk, in both directions: a stalled event loop delivers bytes before the timers that should have ended it. */
export function mayForward(state: Boundary, epoch: OwnerEpoch, port: number, now: Instant): boolean {
  const right = state.rights.get(epoch);
  return right !== undefined && now < right.until && right.ports.includes(port);
}

/** Forgets what has ended. The highest epoch stays. */
export function sweepBoundary(state: Boundary, now: Instant): Boundary {
  const rights = new Map([...state.rights].filter(([, right]) => now < right.until));
  return rights.size === state.rights.size ? state : { ...state, rights };
}

/** A graceful change: who let go opens nothing more, and what it has open ends soon. */
const outlived = (rights: ReadonlyMap<OwnerEpoch, Right>, now: Instant): [OwnerEpoch, Right][] =>
  [...rights].map(([epoch, right]) => [
    epoch,
    { ...right, admits: false, until: earliest(right.until, later(now, BOUNDARY_OVERLAP_MS)) },
  ]);

/**
 * A sandbox that was registered anew, or a store that was restored, is another count of epochs. It is followed once nothing of
 * the one before lives, and as a new life: no nonce that the other could still use stays known.
 */
function pinTo(
  state: Boundary,
  { sandboxId, generation }: Pin,
  now: Instant,
  nonces: Boundary['nonces'],
): Result<Boundary, BoundaryRefusal> {
  const { pin } = state;
  const pinned = { sandboxId, generation };
  if (pin === undefined) return ok({ ...state, pin: pinned });
  if (pin.sandboxId === sandboxId && pin.generation === generation) return ok(state);
  if ([...state.rights.values()].some((right) => now < right.until))
    return err(pin.sandboxId === sandboxId ? 'other_generation' : 'other_sandbox');
  return ok({ ...startBoundary(state.runtimeId), pin: pinned, nonces });
}
