import { parseArgs } from 'node:util';

/** What `npm run sim` was asked for. */
export interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly minutes: number;
  readonly workers: number;
  /** Everything that happens, not only what changes: of one seed. */
  readonly trace: boolean;
  /** This one alone, with its transcript. */
  readonly seed: number | undefined;
  /** The store compares no guard: a violation is what is wanted, to show that the simulation can see. */
  readonly guardsOff: boolean;
}

export const USAGE = 'npm run sim -- [--seeds N] [--from S] [--minutes M] [--workers W] [--seed S [--trace]] [--guards off]';

const MINUTES_MAX = 24 * 60;

/** The options, or why they are none. */
export function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string', default: '100' },
        from: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '30' },
        workers: { type: 'string', default: '2' },
        seed: { type: 'string' },
        trace: { type: 'boolean', default: false },
        guards: { type: 'string', default: 'on' },
        'guards-off': { type: 'boolean', default: false },
      },
    });
    const number = (name: 'seeds' | 'from' | 'minutes' | 'workers' | 'seed', max: number): number => {
      const value = Number(values[name]);
      if (!Number.isInteger(value) || value < 1 || value > max) throw new Error(`--${name} is a whole number from 1 to ${max}`);
      return value;
    };
    if (values.guards !== 'on' && values.guards !== 'off') throw new Error('--guards is on or off');
    return {
      seeds: number('seeds', 1_000_000),
      from: number('from', 1_000_000_000),
      minutes: number('minutes', MINUTES_MAX),
      workers: number('workers', 64),
      seed: values.seed === undefined ? undefined : number('seed', 1_000_000_000),
      trace: values.trace,
      guardsOff: values['guards-off'] || values.guards === 'off',
    };
  } catch (error) {
    return (error as Error).message;
  }
}
