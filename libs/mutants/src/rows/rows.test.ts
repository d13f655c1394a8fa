import { expect, test } from 'vitest';
import { collectMutants, sourceOf } from '../collect.ts';
import { StaleMutant } from '../mutant.ts';
import { rows } from './index.ts';

test('every row still meets the code that it is about', () => {
  expect(collectMutants().length).toBeGreaterThan(rows.length + 40);
});

test('a row whose code has changed stops everything', () => {
  const changed = (file: string): string =>
    sourceOf(file).replace('export const LEASE_MS = 15_000;', 'export const LEASE_MS = 16_000;');
  expect(() => collectMutants(changed)).toThrow(StaleMutant);
});
