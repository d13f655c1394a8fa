import type { World } from '@sallyport/authority';
import { type GatewayId, later, type MemberId } from '@sallyport/model';
import { type Clock, wait } from '@sallyport/process';
import type { Joins } from './joins.ts';
import type { LiveSession, Sessions } from './sessions.ts';

export interface LeavingOptions {
  readonly world: World;
  readonly joins: Joins;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** By then all are to be gone. */
  readonly withinMs: number;
  /** Aborted: at once. */
  readonly deadline: AbortSignal;
}

/** One member after another, no slower than this. */
const MEMBER_EVERY_MS = 50;
/** A member that finds no other gateway within this keeps its sessions here until the end. */
const ELSEWHERE_MS = 2_000;
const LOOK_EVERY_MS = 10;
/** Each session is a commit for the gateway that takes it, beside what it does already. */
const SESSIONS_AT_ONCE = 20;
const SESSIONS_EVERY_MS = 10;

/**
 * Sends everybody to the other gateways in small steps: first a member's Join, and when another gateway has taken it its
 * sessions, a few at a time. All at once, a whole fleet would knock at the others in the same moment.
 */
export async function sendAway({ world, joins, sessions, clock, withinMs, deadline }: LeavingOptions): Promise<void> {
  joins.close();
  if (world.gateways.size < 2) return;
  const members = joins.members();
  const stepMs = Math.min(MEMBER_EVERY_MS, withinMs / 2 / Math.max(1, members.length));
  const bySession = Map.groupBy(sessions.all(), (session) => session.state().session.memberId);
  await Promise.all(members.map((memberId, index) => move(memberId, index * stepMs, bySession.get(memberId) ?? [])));

  async function move(memberId: MemberId, afterMs: number, held: readonly LiveSession[]): Promise<void> {
    const joinedHere = held.length === 0 ? undefined : gatewayOf(memberId, held);
    await wait(clock, afterMs, deadline);
    joins.end(memberId);
    const until = later(clock.now(), Math.min(ELSEWHERE_MS, withinMs / 2));
    while (joinedHere !== undefined && !isElsewhere(joinedHere, gatewayOf(memberId, held)) && clock.now() < until)
      if ((await wait(clock, LOOK_EVERY_MS, deadline)) === 'aborted') break;
    for (const [count, session] of held.entries()) {
      if (count > 0 && count % SESSIONS_AT_ONCE === 0) await wait(clock, SESSIONS_EVERY_MS, deadline);
      session.end('gateway', 'this gateway is leaving; open the session with another');
    }
  }

  /** A record that was given back names no gateway that stands. */
  const isElsewhere = (here: GatewayId, now: GatewayId | undefined): boolean =>
    now !== undefined && now !== here && world.gateways.has(now);

  function gatewayOf(memberId: MemberId, [session]: readonly LiveSession[]): GatewayId | undefined {
    const poolId = session === undefined ? undefined : world.sandboxes.get(session.sandboxId)?.value.poolId;
    return poolId === undefined ? undefined : world.members(poolId).get(memberId)?.value.gatewayId;
  }
}
