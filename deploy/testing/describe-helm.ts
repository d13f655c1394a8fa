import { describe, test } from 'vitest';
import { helm } from './helm.ts';

/** `describe` for what needs a helm: without one it is a single skipped test, whose name says how to get one. */
export function describeHelm(name: string, body: () => void): void {
  if (helm === undefined) test.skipIf(true)(`${name} (node deploy/get-helm.mjs)`, () => undefined);
  else describe(name, body);
}
