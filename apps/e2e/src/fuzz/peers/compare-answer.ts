import type { ReadResponse } from '../strict/response.ts';
import type { Comparison } from './compare.ts';
import type { PeerAnswer } from './peer.ts';

/** How another reader of an application's answer stands to ours. Only what is said to be whole can mislead anybody. */
export function compareAnswer(ours: ReadResponse, theirs: PeerAnswer): Comparison {
  const taken = theirs.status !== undefined && theirs.whole;
  if (ours.state === 'whole') {
    if (!taken) return { kind: 'peer-is-stricter', nth: 0 };
    if (theirs.status !== ours.status) return { kind: 'different', what: `status ${theirs.status}, not ${ours.status}` };
    if (theirs.body === ours.body) return { kind: 'same' };
    return { kind: 'different', what: `body ${JSON.stringify(theirs.body)}, not ${JSON.stringify(ours.body)}` };
  }
  if (!taken) return { kind: 'same' };
  if (ours.state !== 'partial') return { kind: 'we-are-stricter', rule: ours.state };
  return { kind: 'different', what: `whole with ${JSON.stringify(theirs.body)}, where we have only a part` };
}
