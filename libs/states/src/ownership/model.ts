import { refusalAt } from '@sallyport/authority';
import type { Instant } from '@sallyport/model';
import type { Model, Step } from '../search.ts';
import { type Acts, createActs } from './acts.ts';
import { begin } from './begin.ts';
import { keyOf, normal, pass } from './normal.ts';
import type { Setting } from './rules.ts';
import { type State, withGateway } from './state.ts';

/** Coarser than any clock, and fine enough: a lease has ended after three, a wait after four. Milliseconds. */
export const TICK_MS = 5_000;

const BOTH = [0, 1] as const;

/** Everything that can happen to one sandbox's ownership, in any order. */
export function ownershipModel(setting: Setting): Model<State> {
  const acts = createActs(setting);
  return {
    initial: normal(begin(setting)),
    keyOf,
    *next(state) {
      for (const { name, state: reached, broken } of all(acts, state)) {
        if (reached === undefined) continue;
        const followed: Possible = setting.followsAtOnce ? followAtOnce(acts, reached) : { name, state: reached };
        if (followed.state === undefined) continue;
        const wrong = broken ?? brokenBy(reached) ?? followed.broken ?? brokenBy(followed.state);
        yield { name, state: normal(followed.state), broken: wrong };
      }
    },
  };
}

interface Possible extends Omit<Step<State>, 'state'> {
  /** Undefined: it cannot happen now, or not within the bounds. */
  readonly state: State | undefined;
}

function* all(acts: Acts, state: State): Iterable<Possible> {
  yield { name: 'five seconds pass', state: pass(state, TICK_MS) };
  for (const by of BOTH) {
    yield { name: `g${by} sees the next record`, state: acts.see(state, by) };
    yield { name: `g${by} asks m${by} for a report`, state: acts.challenge(state, by) };
    yield { name: `m${by} sends a heartbeat`, state: acts.heartbeat(state, by) };
    yield { name: `m${by} hears g${by}, and answers`, state: acts.hear(state, by) };
    yield { name: `g${by} hears again that m${by} released`, state: acts.hearReleasedAgain(state, by) };
    yield { name: `g${by} wants m${by} to let go`, state: acts.wantRelease(state, by) };
    yield { name: `g${by} suspects the owner`, state: acts.suspect(state, by) };
    yield { name: `g${by} moves ownership on`, state: acts.move(state, by) };
    yield { name: `the vector of g${by} commits`, state: acts.commitVector(state, by) };
    yield { name: `the move of g${by} commits`, ...acts.commitWrite(state, by) };
    yield { name: `the publication of g${by} commits`, ...acts.commitPublication(state, by) };
  }
}

/** All that the second gateway and its member can do by themselves: they see, hear and are answered without delay. */
function followAtOnce(acts: Acts, reached: State): Possible {
  let state = withGateway(reached, 1, { ...reached.gateways[1], echoSentAt: 0 as Instant });
  let broken: string | undefined;
  for (;;) {
    const { write } = state.gateways[1];
    const next = [
      { state: acts.see(state, 1) },
      { state: acts.hear(state, 1) },
      { state: acts.heartbeat(state, 1) },
      acts.commitPublication(state, 1),
      // The fence is the first word about a takeover: it may be long under way.
      write === undefined || write.to.kind === 'fencing' ? { state: undefined } : acts.commitWrite(state, 1),
    ].find((each) => each.state !== undefined) as Omit<Possible, 'name'> | undefined;
    if (next?.state === undefined) return { name: '', state, broken };
    state = next.state;
    broken ??= next.broken;
  }
}

/** What must hold in every state. */
function brokenBy({ members }: State): string | undefined {
  const admitting = members.filter(({ end }) => refusalAt(end.standing, 0 as Instant) === undefined);
  if (admitting.length > 1) return 'one member admits';
  const revived = members.some(({ end, heldUntil }) => end.standing.released && end.standing.leaseUntil > heldUntil);
  return revived ? 'a release is final' : undefined;
}
