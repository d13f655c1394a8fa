import type { Held, Installation, World } from '@sallyport/authority';
import type { Host, SandboxId } from '@sallyport/model';
import { type Ineligible, judgeFence } from './eligibility.ts';
import type { TombstoneReason } from './record.ts';

/** Why a record that stood on `before` stands no more, by what the records say now. */
export function reasonOf(world: World, sandboxId: SandboxId, before: Held<Installation>, host: Host): TombstoneReason {
  if (!isDeclared(world, sandboxId, host)) return 'withdrawn';
  const judged = judgeFence(world, sandboxId, before);
  if (!judged.ok) return REASONS[judged.error];
  // Nothing that it rested on has moved, and yet its gateway took it back: the driver vouches for no endpoint.
  return world.installations.has(sandboxId) ? 'configuration-changed' : 'endpoint-untrusted';
}

const REASONS: Record<Ineligible, TombstoneReason> = {
  installation: 'withdrawn',
  renewal: 'expired',
  owner: 'owner-changed',
  // Its supervisor is no member any more, or has joined anew: whoever owns the sandbox now, it is not that life of it.
  member: 'owner-changed',
  configuration: 'configuration-changed',
  credential: 'credential-revoked',
  session: 'session-lost',
  // A restore of the store, or another life of the workload: in both every session of before is over.
  generation: 'session-lost',
  sandbox: 'session-lost',
};

const isDeclared = (world: World, sandboxId: SandboxId, host: Host): boolean =>
  world.sandboxes.has(sandboxId) &&
  world.configs.get(sandboxId)?.value.services?.some((service) => service.host === host) === true;
