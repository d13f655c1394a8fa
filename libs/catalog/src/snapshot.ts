import type { World } from '@sallyport/authority';
import type { Instant } from '@sallyport/model';
import { judgeEligible } from './eligibility.ts';
import type { Evidence } from './evidence.ts';
import { type DiscoveryRecord, recordOf } from './record.ts';
import type { Sees } from './scope.ts';

/**
 * Everything that may be shown now of the workspaces that are seen: one consistent view, judged from nothing but the records
 * and the evidence. What streams show is kept up piece by piece (catalog.ts); this is what it must always equal.
 */
export function snapshotOf(world: World, evidence: Evidence, now: Instant, sees: Sees): DiscoveryRecord[] {
  const records: DiscoveryRecord[] = [];
  for (const sandboxId of world.installations.keys()) {
    const eligible = judgeEligible(world, evidence, sandboxId, now);
    if (!eligible.ok || !sees(eligible.value.workspace)) continue;
    const { until, installation } = eligible.value;
    for (const route of installation.routes) records.push({ ...recordOf(sandboxId, eligible.value, route), until });
  }
  return records;
}
