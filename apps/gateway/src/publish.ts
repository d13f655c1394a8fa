import type { Endpoint } from '@sallyport/authority';
import {
  type FenceTuple,
  type Installation,
  type InstalledRoute,
  type Judgement,
  remainingMs,
  sameFence,
  type World,
} from '@sallyport/authority';
import {
  err,
  type Failure,
  failure,
  type Instant,
  later,
  ok,
  type Result,
  type SandboxId,
  type SessionId,
  type StoreRevision,
  type WorkspaceId,
} from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import type { Evidence, GatewayEnd } from '@sallyport/session';
import {
  configKey,
  credentialKey,
  type Guard,
  installationKey,
  memberKey,
  ownerKey,
  sandboxKey,
  sessionKey,
} from '@sallyport/store';
import { encodeInstallation } from '@sallyport/wire';
import type { Driver } from './driver.ts';
import type { Membership } from './membership.ts';
import type { Writer } from './writer.ts';

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
  readonly driver: Pick<Driver, 'endpoint'>;
}

/** A driver that restarts is no reason to unpublish a fleet: its last answer about a session stands for this long. */
const DRIVER_GRACE_MS = 15_000;
/** Sessions whose last endpoint is remembered. */
const ANSWERED_MAX = 50_000;

export type Publish = (state: GatewayEnd, judgement: Judgement, evidence: Evidence) => Promise<Publication>;

/**
 * Joins what the supervisor installed with where the driver says it is, in one commit that compares every revision that
 * was judged: not what the store holds at writing, or a stale owner could be published on fresh revisions.
 */
export function createPublisher({ world, writer, membership, clock, driver }: PublisherOptions): Publish {
  const answered = new Map<SessionId, { readonly endpoint: Endpoint; readonly at: Instant }>();

  async function resolve({ session }: GatewayEnd): Promise<Result<Endpoint, Failure>> {
    const { sandboxId, memberId, sessionId } = session;
    const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
    const member = poolId === undefined ? undefined : world.members(poolId).get(memberId)?.value;
    if (poolId === undefined || member === undefined) return err(failure('unknown', 'the member has left'));
    const endpoint = await driver.endpoint({ poolId, memberId, supervisorUid: member.supervisorUid, appPort: member.appPort });
    if (endpoint.ok) {
      answered.set(sessionId, { endpoint: endpoint.value, at: clock.now() });
      if (answered.size > ANSWERED_MAX) answered.delete(answered.keys().next().value as SessionId);
      return endpoint;
    }
    const last = answered.get(sessionId);
    const recent = endpoint.error.kind === 'not-ready' && last !== undefined && clock.now() < later(last.at, DRIVER_GRACE_MS);
    return recent ? ok(last.endpoint) : endpoint;
  }

  /** An endpoint that the driver no longer names must not be shown on the strength of later renewals. */
  async function withdraw(workspace: WorkspaceId, sandboxId: SandboxId, revision: StoreRevision): Promise<void> {
    const key = installationKey(workspace, sandboxId);
    await writer.write({ guards: [{ key, is: 'unmoved-since', revision }], puts: [], deletes: [key] });
  }

  return async (state, { fence }, evidence) => {
    const { sandboxId, memberId, sessionId } = state.session;
    const endpoint = await resolve(state);
    const sandbox = world.sandboxes.get(sandboxId);
    const own = membership.current();
    if (sandbox === undefined || own === undefined) return { kind: 'withheld', why: 'authority has moved' };
    const present = world.installations.get(sandboxId);
    if (!endpoint.ok) {
      if (present !== undefined) await withdraw(sandbox.value.workspace, sandboxId, present.modRevision);
      return { kind: 'withheld', why: endpoint.error.message };
    }
    const { routes, ownerEpoch, configRevision } = evidence.report;
    if (present !== undefined && says(present.value, fence, endpoint.value, routes)) return { kind: 'stands' };
    const key = installationKey(sandbox.value.workspace, sandboxId);
    const installation: Installation = {
      sandbox: sandbox.value.sandbox,
      routes,
      endpoint: endpoint.value,
      fence,
      memberId,
      ownerEpoch,
      configRevision,
      renewal: {
        sessionId,
        reportSequence: evidence.sequence,
        remainingMs: remainingMs(evidence.challengeSentAt, clock.now()),
        gatewayId: own.gatewayId,
        gatewayEpoch: own.epoch,
        asOf: world.revision,
      },
    };
    const written = await writer.write({
      guards: [
        present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision },
        ...judged(fence, state, world),
      ],
      puts: [{ key, value: (opId) => encodeInstallation(installation, opId) }],
    });
    if (written.kind === 'committed') return { kind: 'committed' };
    return { kind: 'withheld', why: written.kind === 'refused' ? `moved meanwhile: ${written.failed.join(', ')}` : written.kind };
  };
}

function judged(fence: FenceTuple, state: GatewayEnd, world: World): readonly Guard[] {
  const { sandboxId, memberId } = state.session;
  const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
  if (poolId === undefined) return [{ key: sandboxKey(sandboxId), is: 'unmoved-since', revision: fence.sandbox }];
  return [
    { key: ownerKey(sandboxId), is: 'unmoved-since', revision: fence.owner },
    { key: sessionKey(sandboxId, memberId), is: 'unmoved-since', revision: fence.session },
    { key: sandboxKey(sandboxId), is: 'unmoved-since', revision: fence.sandbox },
    { key: configKey(sandboxId), is: 'unmoved-since', revision: fence.config },
    { key: credentialKey(sandboxId), is: 'unmoved-since', revision: fence.credential },
    { key: memberKey(poolId, memberId), is: 'created-at', revision: fence.memberCreated },
  ];
}

function says(installation: Installation, fence: FenceTuple, endpoint: Endpoint, routes: readonly InstalledRoute[]): boolean {
  return (
    sameFence(installation.fence, fence) &&
    installation.endpoint.address === endpoint.address &&
    installation.endpoint.port === endpoint.port &&
    installation.endpoint.podUid === endpoint.podUid &&
    installation.routes.length === routes.length
  );
}
