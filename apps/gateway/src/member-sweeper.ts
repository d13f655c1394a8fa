import { type MemberRecord, NO_GATEWAY, ORPHAN_MEMBER_MS, STREAM_LOST_SUSPECT_MS, type World } from '@sallyport/authority';
import { type GatewayId, type Instant, type JoinId, later } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import { memberKey } from '@sallyport/store';
import { encodeMember } from '@sallyport/wire';
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

interface Missed {
  readonly since: Instant;
  /** Its Join was here: nobody else knows that it is over, and nobody else has to wait for longer. */
  readonly wasHere: boolean;
}

const LOOK_EVERY_MS = 500;

/**
 * Removes members that are no more: this gateway's own some time after their Join ended (a network that hiccups is no
 * reason to take a member's place away), and those of a gateway that has been gone for long. Only the Join on record counts:
 * a member that has joined again, here or elsewhere, has another.
 *
 * Before that the record is given back: it stays, and names no gateway. A Join that was given up may have put itself on record
 * late, over one that lives; whoever holds that one sees this and takes the record again. To remove and make it anew would hide
 * what the member owns until its next reports, since they were judged on the record that was made first.
 */
export function startMemberSweeper({ world, membership, writer, joins, clock, ageMs }: MemberSweeperOptions): { stop(): void } {
  const missed = new Map<JoinId, Missed>();

  function look(): void {
    const own = membership.current();
    if (own === undefined || ageMs() === undefined) return;
    const seen = new Set<JoinId>();
    for (const poolId of world.pools()) {
      for (const [memberId, { value, modRevision }] of world.members(poolId)) {
        if (isThere(value, own.gatewayId)) continue;
        const isMine = value.gatewayId === own.gatewayId;
        if (!isMine) joins.orphaned(memberId);
        seen.add(value.joinId);
        const { since, wasHere } = missed.get(value.joinId) ?? { since: clock.now(), wasHere: isMine };
        missed.set(value.joinId, { since, wasHere });
        const key = memberKey(poolId, memberId);
        const guards = [{ key, is: 'unmoved-since', revision: modRevision }] as const;
        const given: MemberRecord = { ...value, gatewayId: NO_GATEWAY };
        if (isMine) void writer.write({ guards, puts: [{ key, value: (opId) => encodeMember(given, opId) }] });
        else if (clock.now() >= later(since, wasHere ? STREAM_LOST_SUSPECT_MS : ORPHAN_MEMBER_MS))
          void writer.write({ guards, puts: [], deletes: [key] });
      }
    }
    for (const joinId of missed.keys()) if (!seen.has(joinId)) missed.delete(joinId);
  }

  const isThere = ({ gatewayId, joinId }: MemberRecord, here: GatewayId): boolean =>
    gatewayId === here ? joins.holds(joinId) : world.gateways.has(gatewayId);

  const cancel = clock.every(LOOK_EVERY_MS, look);
  return { stop: cancel };
}
