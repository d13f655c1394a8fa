import type { World } from '@sallyport/authority';
import type { MemberId } from '@sallyport/model';
import { VERSION } from '@sallyport/process';
import type { gatewayV1 } from '@sallyport/wire';
import type { Membership } from './membership.ts';
import type { Sessions } from './sessions.ts';

/** What this replica knows of the installation, for `sallyport status`. */
export function statusOf(
  world: World,
  membership: Membership,
  sessions: Sessions,
  domain: string,
): Omit<gatewayV1.GetStatusResponse, 'urlPort' | 'problems' | 'problemCount'> {
  const own = membership.current();
  const owned = new Map<MemberId, number>();
  for (const { value } of world.owners.values()) if (value.kind === 'owned') owned.set(value.by, (owned.get(value.by) ?? 0) + 1);
  const members = [...world.pools()].flatMap((poolId) =>
    [...world.members(poolId)].map(([memberId, { value }]) => ({
      memberId,
      poolId,
      ready: value.ready,
      draining: value.draining,
      appPort: value.appPort,
      ownedCount: owned.get(memberId) ?? 0,
    })),
  );
  const serviceCount = [...world.configs.values()].reduce((sum, { value }) => sum + value.services.length, 0);
  return {
    gatewayId: own?.gatewayId ?? '',
    gatewayEpoch: own?.epoch ?? 0n,
    version: VERSION,
    hasAuthority: own !== undefined,
    members,
    sandboxCount: world.sandboxes.size,
    serviceCount,
    sessionCount: sessions.count(),
    domain,
  };
}
