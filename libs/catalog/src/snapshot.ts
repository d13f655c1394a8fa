import { type Endpoint, type InstalledRoute, nameKey, type World } from '@sallyport/authority';
import {
  type ConfigRevision,
  type Host,
  type Instant,
  type OwnerEpoch,
  parseSandboxName,
  parseWorkspaceId,
  type SandboxId,
  type SandboxName,
  type ServiceName,
  type WorkspaceId,
} from '@sallyport/model';
import { type Eligible, judgeEligible } from './eligibility.ts';
import type { Evidence } from './evidence.ts';

/** What discovery shows of one service: who serves its host now, and until when. */
export interface DiscoveryRecord {
  /** Stable for one sandbox's service. */
  readonly recordId: string;
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly service: ServiceName;
  readonly host: Host;
  readonly endpoint: Endpoint;
  readonly until: Instant;
  readonly ownerEpoch: OwnerEpoch;
  readonly configRevision: ConfigRevision;
}

export type Sees = (workspace: WorkspaceId) => boolean;

/** Everything that may be shown now of the workspaces that are seen: one consistent view, in the order of the installations. */
export function snapshotOf(world: World, evidence: Evidence, now: Instant, sees: Sees): DiscoveryRecord[] {
  const records: DiscoveryRecord[] = [];
  for (const sandboxId of world.installations.keys()) {
    const eligible = judgeEligible(world, evidence, sandboxId, now);
    if (!eligible.ok || !sees(eligible.value.workspace)) continue;
    for (const route of eligible.value.installation.routes) records.push(recordOf(sandboxId, eligible.value, route));
  }
  return records;
}

/** Who serves one host now. Undefined: nobody, or nobody that is seen; the caller must not tell the two apart. */
export function resolveHost(world: World, evidence: Evidence, now: Instant, sees: Sees, host: Host): DiscoveryRecord | undefined {
  const sandboxId = sandboxIn(world, host);
  if (sandboxId === undefined) return undefined;
  const eligible = judgeEligible(world, evidence, sandboxId, now);
  if (!eligible.ok || !sees(eligible.value.workspace)) return undefined;
  const route = eligible.value.installation.routes.find((each) => each.host === host);
  return route === undefined ? undefined : recordOf(sandboxId, eligible.value, route);
}

/** The host's first label holds the names; what follows it is compared with the installed route's host. */
function sandboxIn(world: World, host: Host): SandboxId | undefined {
  const [workspaceText, sandboxText] = host.slice(0, Math.max(0, host.indexOf('.'))).split('--');
  const workspace = parseWorkspaceId(workspaceText ?? '');
  const sandbox = parseSandboxName(sandboxText ?? '');
  return workspace.ok && sandbox.ok ? world.names.get(nameKey(workspace.value, sandbox.value))?.value : undefined;
}

const recordOf = (
  sandboxId: SandboxId,
  { workspace, installation, until }: Eligible,
  route: InstalledRoute,
): DiscoveryRecord => ({
  recordId: `${sandboxId}/${route.service}`,
  workspace,
  sandbox: installation.sandbox,
  service: route.service,
  host: route.host,
  endpoint: installation.endpoint,
  until,
  ownerEpoch: installation.ownerEpoch,
  configRevision: installation.configRevision,
});
