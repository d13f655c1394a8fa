import { createWorld, type Held, type Installation, SAME_WRITE, type World } from '@sallyport/authority';
import type { SandboxId } from '@sallyport/model';
import type { Step } from './history.ts';

/** One host's record as the store had it: from when to when everything stood that it rests on. Times as of history. */
export interface Standing {
  readonly sandboxId: string;
  readonly workspace: string;
  readonly host: string;
  readonly endpoint: string;
  readonly epoch: bigint;
  readonly sessionKey: string;
  readonly from: number;
  to: number;
}

export interface Granted {
  readonly principal: string;
  readonly workspaces: ReadonlySet<string>;
  readonly from: number;
  to: number;
}

/** What the store's history says, for a judge of what discovery says. */
export interface Truth {
  readonly standings: readonly Standing[];
  readonly grants: readonly Granted[];
  /** When each session was renewed. */
  readonly renewals: ReadonlyMap<string, readonly number[]>;
  /** Owners that were fenced, as sandbox and epoch: nobody asked them, so their records must have ended before the next. */
  readonly fenced: ReadonlySet<string>;
}

export const fencedKey = (sandboxId: string, epoch: bigint): string => `${sandboxId} ${epoch}`;

export function truthOf(steps: readonly Step[]): Truth {
  const world = createWorld();
  const standings: Standing[] = [];
  const grants: Granted[] = [];
  const renewals = new Map<string, number[]>();
  const fenced = new Set<string>();
  const open = new Map<string, Standing>();

  function renewed(gatewayId: string, epoch: bigint, sessionId: string, at: number): void {
    const key = `${gatewayId}/${epoch}/${sessionId}`;
    renewals.set(key, [...(renewals.get(key) ?? []), at]);
  }

  for (const { changes, revision, seenAt } of steps) {
    world.apply(changes, revision);
    for (const change of changes) {
      const { key, held } = change;
      if (key.kind === 'grant') {
        const before = grants.findLast(({ principal }) => principal === key.principal);
        if (before !== undefined) before.to = Math.min(before.to, seenAt);
        const workspaces = new Set<string>(world.grants.get(key.principal)?.value.workspaces);
        grants.push({ principal: key.principal, workspaces, from: seenAt, to: Number.POSITIVE_INFINITY });
      }
      if (held === undefined) continue;
      if (key.kind === 'owner') {
        const { value } = world.owners.get(key.sandboxId) ?? {};
        if (value?.kind === 'fencing') fenced.add(fencedKey(key.sandboxId, value.ownedEpoch));
      } else if (key.kind === 'renewal') {
        const { gatewayEpoch, renewals: of } = held.value as { gatewayEpoch: bigint; renewals: readonly { sessionId: string }[] };
        for (const { sessionId } of of) renewed(key.gatewayId, gatewayEpoch, sessionId, seenAt);
      } else if (key.kind === 'installation') {
        const { renewal } = held.value as Installation;
        renewed(renewal.gatewayId, renewal.gatewayEpoch, renewal.sessionId, seenAt);
      }
    }
    const stands = new Map([...world.installations].flatMap(([id, held]) => recordsOf(world, id, held, seenAt)));
    for (const [text, standing] of open) {
      if (stands.has(text)) continue;
      standing.to = seenAt;
      open.delete(text);
    }
    for (const [text, standing] of stands) {
      if (open.has(text)) continue;
      open.set(text, standing);
      standings.push(standing);
    }
  }
  return { standings, grants, renewals, fenced };
}

/** The fence of DESIGN section 8, written down a second time: the judge must not share its rules with whom it judges. */
function recordsOf(world: World, sandboxId: SandboxId, held: Held<Installation>, from: number): [string, Standing][] {
  const { fence, memberId, renewal, endpoint, ownerEpoch, routes } = held.value;
  const sandbox = world.sandboxes.get(sandboxId);
  const owner = world.owners.get(sandboxId);
  const session = world.session(sandboxId, memberId);
  if (sandbox === undefined || session === undefined || owner?.value.kind !== 'owned') return [];
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [world.generation?.value, fence.generation],
    [sandbox.modRevision, fence.sandbox],
    [owner.value.by, memberId],
    [owner.value.epoch, ownerEpoch],
    [owner.modRevision, fence.owner === SAME_WRITE ? held.modRevision : fence.owner],
    [session.modRevision, fence.session],
    [session.value.sessionId, renewal.sessionId],
    [world.configs.get(sandboxId)?.modRevision, fence.config],
    [world.credentials.get(sandboxId)?.modRevision, fence.credential],
    [world.members(sandbox.value.poolId).get(memberId)?.createRevision, fence.memberCreated],
  ];
  if (pairs.some(([is, was]) => is !== was)) return [];
  const { gatewayId, gatewayEpoch, sessionId } = session.value;
  const at = `${endpoint.address}:${endpoint.port}`;
  return routes.map(({ host }) => [
    `${host} ${at} ${ownerEpoch} ${sessionId}`,
    {
      ...{ sandboxId, workspace: sandbox.value.workspace, host, endpoint: at, epoch: ownerEpoch, from },
      sessionKey: `${gatewayId}/${gatewayEpoch}/${sessionId}`,
      to: Number.POSITIVE_INFINITY,
    },
  ]);
}
