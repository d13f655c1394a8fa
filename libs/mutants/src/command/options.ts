import { parseArgs } from 'node:util';

/** What `npm run mutants` was asked for. */
export interface Options {
  readonly only: string | undefined;
  /** Those alone of which the ledger knows no killer. */
  readonly left: boolean;
  readonly workers: number;
  /** How many seeds a mutant is given that no test has killed. */
  readonly seeds: number;
  readonly minutes: number;
  /** Takes what killed each into the ledger. */
  readonly write: boolean;
  /** Names them and ends. */
  readonly list: boolean;
  /** Judges nothing: whether each guard has its mutant, each mutant its code, and each its line in the ledger. */
  readonly check: boolean;
}

export const USAGE =
  'npm run mutants -- [--only TEXT] [--left] [--workers W] [--seeds N] [--minutes M] [--write] [--list] [--check]';

export function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        left: { type: 'boolean', default: false },
        workers: { type: 'string', default: '2' },
        seeds: { type: 'string', default: '20' },
        minutes: { type: 'string', default: '8' },
        write: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
      },
    });
    const { only, left, write, list, check } = values;
    const number = (name: 'workers' | 'seeds' | 'minutes', max: number): number => {
      const value = Number(values[name]);
      if (!Number.isInteger(value) || value < 1 || value > max) throw new Error(`--${name} is a whole number from 1 to ${max}`);
      return value;
    };
    return {
      only,
      left,
      write,
      list,
      check,
      workers: number('workers', 64),
      seeds: number('seeds', 100_000),
      minutes: number('minutes', 1_440),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
