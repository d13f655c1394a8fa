// All orders of events in small worlds. With every rule nothing is broken; without one, the search finds the execution that
// an earlier draft of the authority died of.
import { expect, test } from 'vitest';
import { ownershipModel } from './ownership/model.ts';
import type { Rule, Setting } from './ownership/rules.ts';
import { type Setting as PublicationSetting, publicationModel } from './publication/model.ts';
import { search } from './search.ts';
import { DEDICATED, lookAtAll, RELEASE, SHORT, SUSPICION } from './worlds.ts';

const LONG_MS = 120_000;
const BOUND = { depthMax: 40, statesMax: 100_000 };

test(
  'with all rules, no order of events breaks one',
  () => {
    for (const { world, states, steps, depth, ended, broken } of lookAtAll(SHORT)) {
      expect(broken, world).toBeUndefined();
      expect(['all', 'depth'], world).toContain(ended);
      console.info(`${world}: ${states} states, ${steps} steps, ${ended === 'all' ? 'all there are' : `to depth ${depth}`}`);
    }
  },
  LONG_MS,
);

const ownership: readonly (readonly [rule: Rule, what: string, setting: Setting, broken: string])[] = [
  ['T1', 'a report is judged again when its vector has come back', SUSPICION, 'one member admits'],
  ['T2', 'the wait begins when the fence is seen', SUSPICION, 'one member admits'],
  ['T3', 'a publication compares what was judged', SUSPICION, "what is published is the owner's"],
  ['T4', 'the record stays owned until Released', RELEASE, 'one member admits'],
  ['T5', 'a release is final for its epoch', RELEASE, 'one member admits'],
  ['T6', 'Released names its epoch', RELEASE, 'one member admits'],
  ['T7-wait', 'a dedicated owner is waited out', DEDICATED, 'one member admits'],
  ['T7-age', "freshness carries the age of the gateway's view", DEDICATED, 'one member admits'],
  ['T8', 'a fenced owner never returns through an offer', SUSPICION, 'one member admits'],
];

test.each(ownership)(
  '%s: without the rule that %s',
  (without, _what, setting, broken) => {
    expect(search(ownershipModel({ ...setting, without }), BOUND).broken?.rule).toBe(broken);
  },
  LONG_MS,
);

const publication: readonly (readonly [rule: NonNullable<PublicationSetting['without']>, what: string])[] = [
  ['T9-receipt', 'life is not counted from the receipt of a vector'],
  ['T9-newest', 'it is counted from an echo at or below what the gateway had seen'],
  ['T10', 'what was merely listed proves nothing'],
];

test.each(publication)('%s: without the rule that %s', (without) => {
  const { broken } = search(publicationModel({ without, commitsMax: 4, restartsMax: 1 }), BOUND);
  expect(broken?.rule).toBe('nothing is shown past its authority');
});
