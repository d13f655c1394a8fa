/** What a run has been through. A simulation that never meets the hard cases finds nothing and proves nothing. */
export const COVERED = [
  'takeovers',
  'takeovers, old owner frozen',
  'takeovers by a boundary',
  'takeovers by proof of death',
  'owners restored',
  'releases',
  'gateways lost',
  'members lost',
  'boundaries lost',
  'members drained',
  'pauses',
  'suspensions',
  'wall clocks set',
  'wall clocks set asleep',
  'partitions',
  'store outages',
  'leaders changed',
  'commits unknown',
  'unknown, committed',
  'unknown, not committed',
  'commits late',
  'stale reads',
  'watches compacted',
  'credentials bumped',
  'runtimes replaced',
  'sandboxes made again',
  'configurations changed',
  'calls delivered twice',
  'leases granted',
  'bytes sent',
  'bytes delivered',
  'bytes refused',
  'fences obeyed',
  'records shown',
  'grants changed',
  'messages of discovery',
  'deltas of discovery',
  'streams begun anew',
  'calm periods',
] as const;

export type Covered = (typeof COVERED)[number];

export type Coverage = Record<Covered, number>;

export const createCoverage = (): Coverage => Object.fromEntries(COVERED.map((name) => [name, 0])) as Coverage;

export function addCoverage(to: Coverage, more: Coverage): void {
  for (const name of COVERED) to[name] += more[name];
}
