import type { Rule } from '../rules.ts';
import type { Reading, ReadRequest } from '../strict/requests.ts';
import type { Fault } from './faults.ts';
import type { PeerOutcome, PeerRequest } from './peer.ts';

/** How another implementation's view of the same bytes stands to ours. */
export type Comparison =
  | { readonly kind: 'same' }
  /** It took what we refuse by this rule. */
  | { readonly kind: 'we-are-stricter'; readonly rule: Rule }
  /** It refused request `nth`, which the RFC allows and we take. */
  | { readonly kind: 'peer-is-stricter'; readonly nth: number }
  /** It reads what the RFC allows in a way that is its own fault. */
  | { readonly kind: 'peer-fault'; readonly fault: Fault }
  /** Another count, another end of a body, another host: by no rule. */
  | { readonly kind: 'different'; readonly what: string };

const SAME: Comparison = { kind: 'same' };

/**
 * Compares request by request, up to the first at which only one of the two goes on: behind it they read different things.
 * @param ours what the strict reader saw, which our listener was shown to have seen as well
 */
export function compare(ours: Reading, { requests }: PeerOutcome): Comparison {
  let at = 0;
  let stricter: Rule | undefined;
  const done = (): Comparison => (stricter === undefined ? SAME : { kind: 'we-are-stricter', rule: stricter });
  for (const [nth, request] of ours.requests.entries()) {
    const theirs = requests[at];
    if (request.rule === undefined && request.whole) {
      if (theirs === undefined) return stricter === undefined ? { kind: 'peer-is-stricter', nth } : done();
      const what = differenceOf(request, theirs);
      if (what !== undefined) return { kind: 'different', what: `request ${nth}: ${what}` };
      at++;
    } else if (request.rule !== undefined) {
      if (theirs === undefined) return done();
      stricter ??= request.rule;
      // Refused for whom it is, and read to its end all the same: the next one can be compared.
      const goesOn = request.rule === 'host-mismatch' && request.whole;
      if (!goesOn || theirs.method !== request.method || theirs.body !== request.body) return done();
      at++;
    }
  }
  const more = requests[at];
  if (more === undefined) return done();
  if (ours.end === 'closed') return { kind: 'we-are-stricter', rule: 'close' };
  return {
    kind: 'different',
    what: `one more request, ${more.method} with ${JSON.stringify(more.body)}, where we are ${ours.end}`,
  };
}

function differenceOf(ours: ReadRequest, theirs: PeerRequest): string | undefined {
  if (ours.method !== theirs.method) return `method ${theirs.method}, not ${ours.method}`;
  if (ours.host !== theirs.host) return `host ${theirs.host}, not ${ours.host}`;
  if (ours.body !== theirs.body) return `body ${JSON.stringify(theirs.body)}, not ${JSON.stringify(ours.body)}`;
  return undefined;
}
