import { type Mode, type World, nameKey as worldNameKey } from '@sallyport/authority';
import { err, type Failure, failure, ok, type PoolId, type Result } from '@sallyport/model';
import type { Declarations, SandboxRef } from './declarations.ts';
import type { Registrations } from './registrations.ts';
import type { FollowedWorkload } from './workload-events.ts';

export interface ReconcileOptions {
  readonly world: World;
  readonly registrations: Registrations;
  readonly declarations: Declarations;
  readonly defaultPool: PoolId | undefined;
}

/** What is to be of a name. */
export type Wish =
  | { readonly kind: 'follow'; readonly workload: FollowedWorkload }
  /** Its workload is away: it may come back in another life, and is the same sandbox then. */
  | { readonly kind: 'withdraw' }
  /** It has been away for so long that it is not expected back. */
  | { readonly kind: 'forget' };

/**
 * Makes the records say what the workload says, as far as they are its own: an operator's registration and declarations stay as
 * they are. Each step looks first and is a guarded write, so replicas that do this at once agree; where nothing differs,
 * nothing is written. What is returned are sentences for the log.
 */
export async function reconcileWorkload(
  ref: SandboxRef,
  wish: Wish,
  options: ReconcileOptions,
): Promise<Result<readonly string[], Failure>> {
  if (wish.kind !== 'follow') return withdraw(ref, wish.kind, options);
  const { workload } = wish;
  // Several claim it: nothing of it is followed, and which life it has is not for us to choose.
  if (workload.runtimeId === undefined) return withdraw(ref, 'withdraw', options);
  const registered = await register(ref, workload, workload.runtimeId, options);
  if (!registered.ok) return registered;
  const followed = await options.declarations.follow(ref, workload.services);
  return followed.ok ? ok(followed.value.ignored) : followed;
}

async function register(
  ref: SandboxRef,
  workload: FollowedWorkload,
  runtimeId: string,
  { world, registrations, defaultPool }: ReconcileOptions,
): Promise<Result<unknown, Failure>> {
  const present = presentOf(ref, world);
  // Who registered it said who serves it.
  const place = present !== undefined && present.followed?.registered !== true ? present : placeOf(workload, defaultPool);
  const wanted = { mode: place.mode, poolId: place.poolId, runtimeId, followed: true };
  const first = await registrations.register(ref, wanted);
  if (first.ok || first.error.kind !== 'conflict' || present === undefined) return first;
  if (present.mode === wanted.mode && present.poolId === wanted.poolId) return first;
  // It moved to another pool: that is another sandbox under its name.
  const removed = await registrations.removeFollowed(ref);
  if (!removed.ok && removed.error.kind !== 'unknown') return removed;
  if (removed.ok && removed.value === 'kept')
    return err(failure('conflict', 'it asks for another pool, but operators declare services for it where it is'));
  return registrations.register(ref, wanted);
}

async function withdraw(
  ref: SandboxRef,
  kind: 'withdraw' | 'forget',
  { world, declarations, registrations }: ReconcileOptions,
): Promise<Result<readonly string[], Failure>> {
  const followed = presentOf(ref, world)?.followed;
  if (followed === undefined) return ok([]);
  const done =
    kind === 'forget' && followed.registered ? await registrations.removeFollowed(ref) : await declarations.follow(ref, []);
  // Another replica was first.
  return done.ok || done.error.kind === 'unknown' ? ok([]) : done;
}

function presentOf({ workspace, sandbox }: SandboxRef, world: World) {
  const sandboxId = world.names.get(worldNameKey(workspace, sandbox))?.value;
  const record = sandboxId === undefined ? undefined : world.sandboxes.get(sandboxId)?.value;
  if (sandboxId === undefined || record === undefined) return undefined;
  return { mode: record.mode, poolId: record.poolId as string, followed: world.configs.get(sandboxId)?.value.followed };
}

/** A pool that is named, or the default one; else a supervisor of its own. */
export function placeOf(
  { mode, poolId, dedicatedPoolId }: Pick<FollowedWorkload, 'mode' | 'poolId' | 'dedicatedPoolId'>,
  defaultPool: PoolId | undefined,
): { readonly mode: Mode; readonly poolId: string } {
  const pool = poolId ?? defaultPool;
  return mode !== 'dedicated' && pool !== undefined
    ? { mode: 'shared', poolId: pool }
    : { mode: 'dedicated', poolId: dedicatedPoolId ?? '' };
}
