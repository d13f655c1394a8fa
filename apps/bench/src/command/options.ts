import { parseArgs } from 'node:util';

/** What `npm run bench` was asked for. */
export interface Options {
  readonly rounds: number;
  /** Names of scenarios; all of them if empty. */
  readonly scenarios: readonly string[];
  /** Names of peers; all that are installed if undefined. */
  readonly peers: readonly string[] | undefined;
  readonly jsonFile: string | undefined;
  /** Where our own process leaves a profile of its processor time. */
  readonly profileFolder: string | undefined;
}

export interface Known {
  readonly scenarios: readonly string[];
  readonly peers: readonly string[];
}

const ROUNDS_MAX = 50;

export const usage = ({ scenarios, peers }: Known): string => `Usage: npm run bench -- [options]

Measures the listener of a supervisor and other proxies on the same work, in turn, each on one core and its load on the others.

  --rounds N          rounds of all, one after the other; the figures are medians (default 5)
  --scenario NAME,…   only these: ${scenarios.join(', ')}
  --peers NAME,…      only beside these: ${peers.join(', ')}; none: nobody
  --json FILE         also writes the figures there
  --profile FOLDER    our own process leaves a CPU profile there (costs a few per cent)
  --help              this text`;

/** The options, `'help'`, or what is wrong with them in `problem`. */
export function readOptions(args: readonly string[], known: Known): Options | 'help' | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: 'string', default: '5' },
        scenario: { type: 'string', multiple: true, default: [] },
        peers: { type: 'string', multiple: true },
        json: { type: 'string' },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX)
      throw new Error(`--rounds is a whole number from 1 to ${ROUNDS_MAX}`);
    const peers = values.peers?.flatMap((each) => each.split(','));
    const nobody = peers?.length === 1 && peers[0] === 'none';
    return {
      rounds,
      scenarios: namesAmong(
        'scenario',
        values.scenario.flatMap((each) => each.split(',')),
        known.scenarios,
      ),
      peers: peers === undefined ? undefined : nobody ? [] : namesAmong('peer', peers, known.peers),
      jsonFile: values.json,
      profileFolder: values.profile,
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function namesAmong(what: string, names: readonly string[], known: readonly string[]): readonly string[] {
  for (const name of names) if (!known.includes(name)) throw new Error(`no ${what} ${JSON.stringify(name)}: ${known.join(', ')}`);
  return names;
}
