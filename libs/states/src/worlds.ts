import { ownershipModel } from './ownership/model.ts';
import type { Setting } from './ownership/rules.ts';
import { publicationModel } from './publication/model.ts';
import { type Bound, type Found, type Model, search } from './search.ts';

/** The small worlds that are looked at: two gateways, two members, and one way in which a tenure ends. */
const small = { without: undefined, messagesMax: 2, changesMax: 1, followsAtOnce: true } as const;
export const SUSPICION: Setting = { ...small, mode: 'shared', by: 'suspicion', lagMax: 2 };
export const RELEASE: Setting = { ...small, mode: 'shared', by: 'release', lagMax: 1 };
/** Its gateway may see nothing of a whole takeover; there are no challenges. */
export const DEDICATED: Setting = { ...small, mode: 'dedicated', by: 'suspicion', lagMax: 3, messagesMax: 1 };

export interface Looked extends Found {
  readonly world: string;
}

/** How many events of one history; where nothing else is said, there are no more to come before that. */
export interface Depths {
  readonly ownership: number;
  readonly dedicated: number;
  /** Where the successor takes its time as well, and where more is under way. */
  readonly wider: number;
  readonly publication: number;
}

export const SHORT: Depths = { ownership: 16, dedicated: 12, wider: 10, publication: 8 };
export const LONG: Depths = { ownership: 24, dedicated: 20, wider: 13, publication: 10 };

const STATES_MAX = 3_000_000;

/** Every order of events, in every world, with all rules in place. */
export function* lookAtAll(depths: Depths): Iterable<Looked> {
  const look = <S>(world: string, model: Model<S>, depthMax: number): Looked => {
    const bound: Bound = { depthMax, statesMax: STATES_MAX };
    return { world, ...search(model, bound) };
  };
  const wider = { messagesMax: 2, followsAtOnce: false };
  yield look('a shared owner is suspected', ownershipModel(SUSPICION), depths.ownership);
  yield look('a shared owner lets go', ownershipModel(RELEASE), depths.ownership);
  yield look('a dedicated owner is suspected', ownershipModel(DEDICATED), depths.dedicated);
  yield look(
    'a shared owner is suspected, and everything takes its time',
    ownershipModel({ ...SUSPICION, ...wider }),
    depths.wider,
  );
  yield look('a shared owner lets go, and everything takes its time', ownershipModel({ ...RELEASE, ...wider }), depths.wider);
  yield look('a session is shown', publicationModel({ without: undefined, commitsMax: 4, restartsMax: 1 }), depths.publication);
}
