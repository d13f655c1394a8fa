import type { Coverage } from './coverage.ts';
import type { Evaluations } from './truth/violations.ts';

/** Of each kind at least so many in an hour of virtual time, over many seeds: 500 seeds of 30 minutes are 250 hours. */
export const COVERAGE_PER_HOUR: Partial<Coverage> = {
  takeovers: 8,
  'takeovers, old owner frozen': 4,
  'takeovers by a boundary': 4,
  'takeovers by proof of death': 1,
  'owners restored': 1,
  releases: 0.5,
  'gateways lost': 1,
  'members lost': 1,
  'boundaries lost': 0.5,
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
  'calls delivered twice': 5,
  'leases granted': 100,
  'bytes delivered': 400,
  'bytes refused': 40,
  'fences obeyed': 4,
  'grants changed': 3,
  'messages of discovery': 400,
  'deltas of discovery': 50,
  'streams begun anew': 0.2,
  'calm periods': 5,
};

/** A million in 250 hours: of each rule of DESIGN section 12 that holds at all times, in one of its forms. */
const ALWAYS = 4_000;

export const EVALUATIONS_PER_HOUR: Partial<Evaluations> = {
  'one member admits': ALWAYS,
  'nothing served past its deadline': ALWAYS,
  'nothing served without authority': ALWAYS,
  'a right lives by its nonce': ALWAYS,
  'nothing published past its authority': ALWAYS,
  'nothing followed past its authority': ALWAYS,
  'what is kept up is what is judged': ALWAYS,
  'nothing held without the grant': ALWAYS,
  'epochs only rise': ALWAYS,
  'a nonce counts once': ALWAYS,
  'nothing throws': ALWAYS,
  // These are looked at when something is written, granted, sent or asked for, and that is not done oftener.
  'no byte of a stale owner arrives': 2_000,
  'a lapsed gateway commits nothing': 1_500,
  'no lease after a fence was seen': 700,
  'no lease for a report after the fence': 700,
  'no lease for a report of what is past': 700,
  'what was told adds up to what is shown': 300,
  'no way opens under an epoch left behind': 300,
  'withdrawn routes end': 50,
  'transitions are legal': 50,
  'no record to a stream without the grant': 50,
  'a released owner is not renewed': 20,
  'a takeover waits': 8,
  'an owner that lives is published': 10,
  'every sandbox is published': 10,
};
