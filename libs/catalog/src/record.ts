import type { Endpoint, InstalledRoute } from '@sallyport/authority';
import type {
  ConfigRevision,
  Host,
  Instant,
  OwnerEpoch,
  SandboxId,
  SandboxName,
  ServiceName,
  WorkspaceId,
} from '@sallyport/model';
import type { Standing } from './eligibility.ts';

/** What discovery shows of one service: who serves its host, and where. How long is not part of it: that is renewed. */
export interface CatalogRecord {
  /** Stable for one sandbox's service. */
  readonly recordId: string;
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly service: ServiceName;
  readonly host: Host;
  readonly endpoint: Endpoint;
  readonly ownerEpoch: OwnerEpoch;
  readonly configRevision: ConfigRevision;
  /** The one life of a gateway that renews it: records of one are renewed together. */
  readonly renewedBy: string;
}

/** With its end. A reader margin is taken off already: at `until` it is shown no more. */
export interface DiscoveryRecord extends CatalogRecord {
  readonly until: Instant;
}

/** Why a record is gone; the closed set of DESIGN section 8. */
export type TombstoneReason =
  | 'withdrawn'
  | 'expired'
  | 'owner-changed'
  | 'session-lost'
  | 'configuration-changed'
  | 'credential-revoked'
  | 'endpoint-untrusted'
  | 'grant-revoked';

export const recordIdOf = (sandboxId: SandboxId, service: ServiceName): string => `${sandboxId}/${service}`;

export const recordOf = (
  sandboxId: SandboxId,
  { workspace, installation, session }: Standing,
  route: InstalledRoute,
): CatalogRecord => ({
  recordId: recordIdOf(sandboxId, route.service),
  workspace,
  sandbox: installation.sandbox,
  service: route.service,
  host: route.host,
  endpoint: installation.endpoint,
  ownerEpoch: installation.ownerEpoch,
  configRevision: installation.configRevision,
  renewedBy: `${session.gatewayId}.${session.gatewayEpoch}`,
});
