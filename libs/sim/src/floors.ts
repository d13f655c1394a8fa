import type { Coverage } from './coverage.ts';
import type { Evaluations } from './truth/violations.ts';

/** Of each kind at least so many in an hour of virtual time, over many seeds: 500 seeds of 30 minutes are 250 hours. */
export const COVERAGE_PER_HOUR: Partial<Coverage> = {
  takeovers: 8,
  'takeovers, old owner frozen': 4,
  'owners restored': 1,
  releases: 0.5,
  'gateways lost': 1,
  'members lost': 1,
  pauses: 5,
  suspensions: 1,
  'wall clocks set asleep': 0.3,
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

/** A million in 250 hours of each rule that holds at all times. */
const ALWAYS = 4_000;

export const EVALUATIONS_PER_HOUR: Partial<Evaluations> = {
  'one member admits': ALWAYS,
  'nothing served past its deadline': ALWAYS,
  'nothing served without authority': ALWAYS,
  'nothing published past its authority': ALWAYS,
  'epochs only rise': ALWAYS,
  'nothing throws': ALWAYS,
  // These are looked at when something is written, granted or asked for, and that is not done oftener.
  'a lapsed gateway commits nothing': 1_500,
  'a nonce counts once': 1_000,
  'no lease after a fence was seen': 1_000,
  'no lease for a report after the fence': 1_000,
  'no lease for a report of what is past': 1_000,
  'transitions are legal': 50,
  'a takeover waits': 8,
  'withdrawn routes end': 50,
  'a released owner is not renewed': 20,
  'an owner that lives is published': 10,
  'every sandbox is published': 10,
};
