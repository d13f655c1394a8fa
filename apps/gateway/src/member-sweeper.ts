import { ORPHAN_MEMBER_MS, STREAM_LOST_SUSPECT_MS, type World } from '@sallyport/authority';
import { type Instant, type JoinId, later } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import { memberKey } from '@sallyport/store';
import type { Joins } from './joins.ts';
import type { Membership } from './membership.ts';
import type { Writer } from './writer.ts';

export interface MemberSweeperOptions {
  readonly world: World;
  readonly membership: Membership;
  readonly writer: Writer;
  readonly joins: Joins;
  readonly clock: Clock;
  readonly ageMs: () => number | undefined;
}

const LOOK_EVERY_MS = 500;

/**
 * Removes members that are no more: this gateway's own some time after their Join ended (a network that hiccups is no
 * reason to take a member's place away), and those of a gateway that has been gone for long. Only the Join on record counts:
 * a member that has joined again, here or elsewhere, has another.
 */
export function startMemberSweeper({ world, membership, writer, joins, clock, ageMs }: MemberSweeperOptions): { stop(): void } {
  const missedSince = new Map<JoinId, Instant>();

  function look(): void {
    const own = membership.current();
    if (own === undefined || ageMs() === undefined) return;
    const seen = new Set<JoinId>();
    for (const poolId of world.pools()) {
      for (const [memberId, { value, modRevision }] of world.members(poolId)) {
        const mine = value.gatewayId === own.gatewayId;
        if (mine ? joins.holds(value.joinId) : world.gateways.has(value.gatewayId)) continue;
        if (!mine) joins.orphaned(memberId);
        seen.add(value.joinId);
        const since = missedSince.get(value.joinId) ?? clock.now();
        missedSince.set(value.joinId, since);
        if (clock.now() < later(since, mine ? STREAM_LOST_SUSPECT_MS : ORPHAN_MEMBER_MS)) continue;
        const key = memberKey(poolId, memberId);
        void writer.write({ guards: [{ key, is: 'unmoved-since', revision: modRevision }], puts: [], deletes: [key] });
      }
    }
    for (const joinId of missedSince.keys()) if (!seen.has(joinId)) missedSince.delete(joinId);
  }

  const cancel = clock.every(LOOK_EVERY_MS, look);
  return { stop: cancel };
}
