/** What a run has been through. A simulation that never meets the hard cases finds nothing and proves nothing. */
export const COVERED = [
  'takeovers',
  'takeovers, old owner frozen',
  'owners restored',
  'releases',
  'gateways lost',
  'members lost',
  'members drained',
  'pauses',
  'suspensions',
  'wall clocks set',
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
  'leases granted',
  'records shown',
  'calm periods',
] as const;

export type Covered = (typeof COVERED)[number];

export type Coverage = Record<Covered, number>;

export const createCoverage = (): Coverage => Object.fromEntries(COVERED.map((name) => [name, 0])) as Coverage;

export function addCoverage(to: Coverage, more: Coverage): void {
  for (const name of COVERED) to[name] += more[name];
}

/** Of each kind at least so many in an hour of virtual time, over many seeds. */
export const FLOORS_PER_HOUR: Partial<Coverage> = {
  takeovers: 1,
  'takeovers, old owner frozen': 0.3,
  'owners restored': 1,
  releases: 0.5,
  'gateways lost': 1,
  'members lost': 1,
  pauses: 5,
  suspensions: 1,
  partitions: 3,
  'store outages': 1,
  'unknown, committed': 5,
  'unknown, not committed': 5,
  'commits late': 2,
  'stale reads': 1,
  'watches compacted': 0.5,
  'credentials bumped': 0.5,
  'sandboxes made again': 0.3,
  'leases granted': 100,
  'calm periods': 5,
};
