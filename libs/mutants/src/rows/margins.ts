import type { Row } from './row.ts';

const file = 'libs/authority/src/timers.ts';

/** Without it, the number that follows would be refused as soon as it is loaded: what is asked is who notices besides. */
const unasserted = { file, find: 'for (const [why, holds] of RELATIONS) assert(holds(TIMERS), why);', becomes: '' };
const unimported = { file, find: "import { assert } from '@sallyport/model';", becomes: '' };

const margin = (name: string, from: string, to: string, removes: string): Row => ({
  id: `margin ${name}`,
  kind: 'margin',
  removes: `${name} ${from} → ${to}: ${removes}`,
  changes: [unimported, unasserted, { file, find: `export const ${name} = ${from};`, becomes: `export const ${name} = ${to};` }],
});

/** Every duration that safety rests on, without what it leaves room for. */
export const margins: readonly Row[] = [
  margin('CHALLENGE_EVERY_MS', '5_000', '15_000', 'one lost vector ends a lease'),
  margin('CHALLENGE_LEAD_MS', '1_000', '0', 'a report comes too late for its tick'),
  margin('LEASE_MS', '15_000', '20_000', 'an owner serves when it has been waited out'),
  margin('SUPERVISOR_MARGIN_MS', '500', '0', 'a supervisor serves to the last moment'),
  margin('FRESHNESS_MS', '30_000', '60_000', 'a dedicated owner serves when it has been waited out'),
  margin('POLL_EVERY_MS', '10_000', '40_000', 'a poll comes when freshness is over'),
  margin('HEARTBEAT_EVERY_MS', '5_000', '40_000', 'a heartbeat comes when freshness is over'),
  margin('GATEWAY_LEASE_MS', '10_000', '5_000', 'a key vanishes while its gateway trusts itself'),
  margin('GATEWAY_TRUST_MS', '8_000', '20_000', 'a gateway trusts itself when its key has vanished'),
  margin('VECTOR_RETRY_MS', '1_000', '10_000', 'a failed vector is not tried again'),
  margin('STREAM_LOST_SUSPECT_MS', '2_000', '0', 'a network that hiccups costs an owner its sandbox'),
  margin('SILENCE_SUSPECT_MS', '15_000', '4_000', 'an owner is suspected between two reports'),
  margin('SUSPICION_GRACE_MS', '20_000', '0', 'a gateway that has just come back suspects everybody'),
  margin('OFFER_MS', '5_000', '0', 'an offer is taken back before it can be answered'),
  margin('ORPHAN_MEMBER_MS', '15_000', '0', 'a member vanishes with its gateway'),
  margin('CLOCK_RATE_ERROR', '0.01', '0', 'clocks are taken to run alike'),
  margin('SHARED_TAKEOVER_WAIT_MS', '17_000', '10_000', 'a successor is offered while a shared owner serves'),
  margin('DEDICATED_TAKEOVER_WAIT_MS', '33_000', '17_000', 'a successor is offered while a dedicated owner serves'),
  margin('BOUNDARY_SHARED_MS', '15_000', '40_000', 'a boundary lets a shared owner through when it has been waited out'),
  margin('BOUNDARY_DEDICATED_MS', '30_000', '60_000', 'a boundary lets a dedicated owner through when it has been waited out'),
  margin('BOUNDARY_OVERLAP_MS', '15_000', '60_000', 'who let go keeps its channels'),
  margin('BOUNDARY_NONCES_MAX', '256', '1_000_000', 'nonces fill the memory'),
  margin('READER_MARGIN_MS', '2_000', '0', 'a record is shown to its last moment'),
  margin('READER_ECHO_EVERY_MS', '1_000', '12_000', 'a reader has no recent mark to count from'),
];
