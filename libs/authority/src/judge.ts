import {
  type ConfigRevision,
  type CredentialEpoch,
  err,
  type MemberId,
  type OwnerEpoch,
  ok,
  type Result,
  type RuntimeId,
  type SandboxId,
  type SessionId,
  type StoreRevision,
} from '@sallyport/model';
import {
  type FenceTuple,
  type Held,
  type Installation,
  type InstalledRoute,
  type Mode,
  type Ownership,
  SAME_WRITE,
} from './records.ts';
import { successorOf } from './successor.ts';
import type { World } from './world.ts';

/** What a supervisor says it has installed, in answer to one challenge. */
export interface Report {
  readonly sessionId: SessionId;
  readonly runtimeId: RuntimeId;
  readonly configRevision: ConfigRevision;
  readonly configHash: string;
  readonly ownerEpoch: OwnerEpoch;
  readonly routes: readonly InstalledRoute[];
  readonly ready: boolean;
}

/** The session that brought it, as the gateway that holds it knows it: never taken from the report. */
export interface ReportingSession {
  readonly sandboxId: SandboxId;
  readonly memberId: MemberId;
  readonly sessionId: SessionId;
  readonly credentialEpoch: CredentialEpoch;
}

/** The clause that refused, in the order in which they are judged. Each has a counter. */
export type Clause =
  | 'generation'
  | 'sandbox'
  | 'session'
  | 'runtime'
  | 'credential'
  | 'configuration'
  | 'owner'
  | 'member'
  | 'ready'
  | 'routes';

/** The report stands, on exactly these revisions: whatever is written on its strength must compare them. */
export interface Judgement {
  readonly fence: FenceTuple;
  readonly mode: Mode;
}

/**
 * Whether a report counts now, for the owner on record (A4). Judged when it arrives, and judged *again* when the vector
 * that carries it comes back: a gateway whose view lagged would otherwise grant after a fence.
 */
export const judgeReport = (world: World, session: ReportingSession, report: Report): Result<Judgement, Clause> =>
  judge(
    world,
    session,
    report,
    (owner) => owner.kind === 'owned' && owner.by === session.memberId && owner.epoch === report.ownerEpoch,
  );

/**
 * Whether a report counts for a member that is to follow the owner: as an owner's, but that it owns nothing yet. The fence
 * holds the owner that it would follow.
 */
export const judgeSuccessor = (world: World, session: ReportingSession, report: Report): Result<Judgement, Clause> =>
  judge(
    world,
    session,
    report,
    (owner) =>
      owner.kind === 'owned' &&
      owner.by !== session.memberId &&
      report.ownerEpoch === NO_TENURE &&
      successorOf(world, session.sandboxId) === session.memberId,
  );

/** What a member reports that owns nothing. */
const NO_TENURE = 0n;

function judge(
  world: World,
  session: ReportingSession,
  report: Report,
  mayHold: (owner: Ownership) => boolean,
): Result<Judgement, Clause> {
  const { sandboxId, memberId } = session;
  if (world.generation === undefined) return err('generation');
  const sandbox = world.sandboxes.get(sandboxId);
  if (sandbox === undefined) return err('sandbox');
  const onRecord = world.session(sandboxId, memberId);
  if (onRecord === undefined || onRecord.value.sessionId !== session.sessionId || report.sessionId !== session.sessionId)
    return err('session');
  if (report.runtimeId !== sandbox.value.runtimeId || onRecord.value.runtimeId !== sandbox.value.runtimeId) return err('runtime');
  const credential = world.credentials.get(sandboxId);
  if (
    credential === undefined ||
    credential.value !== session.credentialEpoch ||
    onRecord.value.credentialEpoch !== credential.value
  ) {
    return err('credential');
  }
  const config = world.configs.get(sandboxId);
  if (config === undefined || report.configRevision !== config.value.revision || report.configHash !== config.value.hash) {
    return err('configuration');
  }
  const owner = world.owners.get(sandboxId);
  if (owner === undefined || !mayHold(owner.value)) return err('owner');
  // Draining is no reason: what a member owns stays eligible until it is handed over.
  const member = world.members(sandbox.value.poolId).get(memberId);
  if (member === undefined || !member.value.ready) return err('member');
  if (!report.ready) return err('ready');
  if (!sameRoutes(report.routes, config.value.services)) return err('routes');
  return ok({
    mode: sandbox.value.mode,
    fence: {
      generation: world.generation.value,
      owner: owner.modRevision,
      session: onRecord.modRevision,
      sandbox: sandbox.modRevision,
      config: config.modRevision,
      credential: credential.modRevision,
      memberCreated: member.createRevision,
    },
  });
}

/** The same routes, in any order. */
function sameRoutes(reported: readonly InstalledRoute[], declared: readonly InstalledRoute[]): boolean {
  if (reported.length !== declared.length) return false;
  const byHost = new Map(declared.map((service) => [service.host, service]));
  return reported.every((route) => {
    const service = byHost.get(route.host);
    return service !== undefined && byHost.delete(route.host) && service.port === route.port && service.service === route.service;
  });
}

/** The owner's revision that an installation rests on. */
export const ownerRevision = ({ value, modRevision }: Held<Installation>): StoreRevision =>
  value.fence.owner === SAME_WRITE ? modRevision : value.fence.owner;

export const sameFence = (a: FenceTuple, b: FenceTuple): boolean =>
  a.generation === b.generation &&
  a.owner === b.owner &&
  a.session === b.session &&
  a.sandbox === b.sandbox &&
  a.config === b.config &&
  a.credential === b.credential &&
  a.memberCreated === b.memberCreated;
