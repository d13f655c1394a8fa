import { parseArgs } from 'node:util';
import { lineOf, scheduleOf, type Wanted } from './schedule.ts';
import { targetsOf, WORLD } from './world.ts';

/** What `npm run chaos` was asked for. */
export interface Options extends Wanted {
  /** Only prints the schedule. */
  readonly plan: boolean;
  planLines(): readonly string[];
}

export const USAGE = 'npm run chaos -- [--minutes N] [--faults N] [--seed N] [--plan]';

const LIMITS = { minutes: 24 * 60, faults: 100_000, seed: 0xffff_ffff } as const;

export function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '20' },
        faults: { type: 'string' },
        seed: { type: 'string', default: '1' },
        plan: { type: 'boolean', default: false },
      },
    });
    const number = (name: keyof typeof LIMITS, min: number, otherwise: number): number => {
      const value = Number(values[name] ?? otherwise);
      if (!Number.isInteger(value) || value < min || value > LIMITS[name])
        throw new Error(`--${name} is a whole number from ${min} to ${LIMITS[name]}`);
      return value;
    };
    const minutes = number('minutes', 1, 20);
    const wanted: Wanted = { minutes, faults: number('faults', 1, Math.ceil(minutes * 5.5)), seed: number('seed', 0, 1) };
    const planLines = (): readonly string[] => scheduleOf(wanted, targetsOf(WORLD)).flatMap(({ faults }) => faults.map(lineOf));
    return { ...wanted, plan: values.plan, planLines };
  } catch (error) {
    return (error as Error).message;
  }
}
