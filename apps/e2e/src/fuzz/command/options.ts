import { parseArgs } from 'node:util';

/** What `npm run fuzz` was asked for. */
export interface Options {
  /** Mutated requests. */
  readonly requests: number;
  /** Requests as they are, all of which must reach the application. */
  readonly valid: number;
  readonly responses: number;
  /** Of the first case of each kind; the others follow it. */
  readonly seed: number;
  readonly workers: number;
}

export const USAGE = 'npm run fuzz -- [--requests N] [--valid N] [--responses N] [--seed S] [--workers W]';

const COUNT_MAX = 100_000_000;

/** The options, or why they are none. */
export function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string', default: '2000' },
        valid: { type: 'string' },
        responses: { type: 'string' },
        seed: { type: 'string', default: '1' },
        workers: { type: 'string', default: '2' },
      },
    });
    const number = (name: keyof Options, min: number, max: number, otherwise = 0): number => {
      const value = Number(values[name] ?? otherwise);
      if (!Number.isInteger(value) || value < min || value > max)
        throw new Error(`--${name} is a whole number from ${min} to ${max}`);
      return value;
    };
    const requests = number('requests', 0, COUNT_MAX);
    return {
      requests,
      valid: number('valid', 0, COUNT_MAX, Math.ceil(requests / 10)),
      responses: number('responses', 0, COUNT_MAX, Math.ceil(requests / 10)),
      seed: number('seed', 0, 0xffff_ffff),
      workers: number('workers', 1, 64),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
