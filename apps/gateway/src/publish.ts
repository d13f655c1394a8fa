import {
  type Endpoint,
  type FenceTuple,
  type Installation,
  type InstalledRoute,
  type Judgement,
  type ReportingSession,
  remainingMs,
  sameFence,
  type World,
} from '@sallyport/authority';
import type { PoolId, StoreRevision } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import type { Evidence } from '@sallyport/session';
import {
  configKey,
  credentialKey,
  type Guard,
  installationKey,
  memberKey,
  ownerKey,
  sandboxKey,
  sessionKey,
  successorKey,
} from '@sallyport/store';
import { encodeInstallation, encodeSuccessor } from '@sallyport/wire';
import type { ResolveEndpoint } from './endpoints.ts';
import type { Membership } from './membership.ts';
import type { Writer, Written } from './writer.ts';

/** What became of a good report: on record already, put on record just now, or neither. */
export type Publication =
  | { readonly kind: 'stands' }
  | { readonly kind: 'committed' }
  /** Publication is withheld: the driver names no endpoint, or what was judged has moved. */
  | { readonly kind: 'withheld'; readonly why: string };

export interface PublisherOptions {
  readonly world: World;
  readonly writer: Writer;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly resolve: ResolveEndpoint;
}

/**
 * Joins what a supervisor installed with where the driver says it is, in one commit that compares every revision that was
 * judged: not what the store holds at writing, or a stale owner could be published on fresh revisions.
 */
export interface Publisher {
  /** For the owner: the installation that discovery shows. */
  publish(session: ReportingSession, judgement: Judgement, evidence: Evidence): Promise<Publication>;
  /** For the member that is to follow the owner: the same, kept beside it until the owner has let go. */
  prepare(session: ReportingSession, judgement: Judgement, evidence: Evidence): Promise<Publication>;
}

export function createPublisher({ world, writer, membership, clock, resolve }: PublisherOptions): Publisher {
  async function installationOf(
    session: ReportingSession,
    { fence }: Judgement,
    { report, sequence, challengeSentAt }: Evidence,
  ): Promise<{ readonly installation: Installation; readonly poolId: PoolId } | string> {
    const endpoint = await resolve(session);
    const sandbox = world.sandboxes.get(session.sandboxId)?.value;
    const own = membership.current();
    if (sandbox === undefined || own === undefined) return 'authority has moved';
    if (!endpoint.ok) return endpoint.error.message;
    const renewal = {
      sessionId: session.sessionId,
      reportSequence: sequence,
      remainingMs: remainingMs(challengeSentAt, clock.now()),
      gatewayId: own.gatewayId,
      gatewayEpoch: own.epoch,
      asOf: world.revision,
    };
    const { routes, ownerEpoch, configRevision } = report;
    const { memberId } = session;
    const said = { sandbox: sandbox.sandbox, routes, endpoint: endpoint.value, fence, memberId, ownerEpoch, configRevision };
    return { installation: { ...said, renewal }, poolId: sandbox.poolId };
  }

  return {
    async publish(session, judgement, evidence) {
      const { sandboxId, sessionId } = session;
      const workspace = world.sandboxes.get(sandboxId)?.value.workspace;
      if (workspace === undefined) return { kind: 'withheld', why: 'the sandbox is gone' };
      const key = installationKey(workspace, sandboxId);
      const made = await installationOf(session, judgement, evidence);
      const present = world.installations.get(sandboxId);
      if (typeof made === 'string') {
        // An endpoint that the driver no longer names must not be shown on the strength of later renewals.
        if (present?.value.renewal.sessionId === sessionId) {
          await writer.write({ guards: [unmoved(key, present.modRevision)], puts: [], deletes: [key] });
        }
        return { kind: 'withheld', why: made };
      }
      if (present !== undefined && saysSame(present.value, made.installation)) return { kind: 'stands' };
      return outcomeOf(
        await writer.write({
          guards: [unmoved(key, present?.modRevision), ...judged(judgement.fence, session, made.poolId)],
          puts: [{ key, value: (opId) => encodeInstallation(made.installation, opId) }],
        }),
      );
    },

    async prepare(session, judgement, evidence) {
      const { sandboxId } = session;
      const owner = world.owners.get(sandboxId)?.value;
      const made = await installationOf(session, judgement, evidence);
      if (typeof made === 'string') return { kind: 'withheld', why: made };
      if (owner === undefined) return { kind: 'withheld', why: 'the sandbox is gone' };
      const present = world.successors.get(sandboxId);
      if (present !== undefined && saysSame(present.value.installation, made.installation)) return { kind: 'stands' };
      const key = successorKey(sandboxId);
      const successor = { follows: owner.epoch, installation: { ...made.installation, ownerEpoch: owner.epoch } };
      return outcomeOf(
        await writer.write({
          guards: [unmoved(key, present?.modRevision), ...judged(judgement.fence, session, made.poolId)],
          puts: [{ key, value: (opId) => encodeSuccessor(successor, opId) }],
        }),
      );
    },
  };
}

const unmoved = (key: string, revision: StoreRevision | undefined): Guard =>
  revision === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision };

/** Everything that was judged, as it was when it was judged. */
export const judged = (
  fence: FenceTuple,
  { sandboxId, memberId }: Pick<ReportingSession, 'sandboxId' | 'memberId'>,
  poolId: PoolId,
): readonly Guard[] => [
  { key: ownerKey(sandboxId), is: 'unmoved-since', revision: fence.owner },
  { key: sessionKey(sandboxId, memberId), is: 'unmoved-since', revision: fence.session },
  { key: sandboxKey(sandboxId), is: 'unmoved-since', revision: fence.sandbox },
  { key: configKey(sandboxId), is: 'unmoved-since', revision: fence.config },
  { key: credentialKey(sandboxId), is: 'unmoved-since', revision: fence.credential },
  { key: memberKey(poolId, memberId), is: 'created-at', revision: fence.memberCreated },
];

function outcomeOf(written: Written): Publication {
  if (written.kind === 'committed') return { kind: 'committed' };
  return { kind: 'withheld', why: written.kind === 'refused' ? `moved meanwhile: ${written.failed.join(', ')}` : written.kind };
}

/** All but the renewal, which is another record's business once it stands. */
const saysSame = (a: Installation, b: Installation): boolean =>
  sameFence(a.fence, b.fence) && sameEndpoint(a.endpoint, b.endpoint) && sameRoutes(a.routes, b.routes);

const sameEndpoint = (a: Endpoint, b: Endpoint): boolean => a.address === b.address && a.port === b.port && a.podUid === b.podUid;

/** The configuration is part of the fence, so routes of one fence differ in number alone, if at all. */
const sameRoutes = (a: readonly InstalledRoute[], b: readonly InstalledRoute[]): boolean => a.length === b.length;
