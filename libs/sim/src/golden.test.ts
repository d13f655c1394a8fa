// Whole histories as text. A difference is read before it is taken: UPDATE_GOLDEN=1 npm test -- libs/sim writes them anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { play, scenarios } from './scenarios/index.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(`./golden/${name}.txt`, import.meta.url));
const updates = process.env.UPDATE_GOLDEN === '1';

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
  const { text, violations } = await play(scenario);
  expect(violations).toEqual([]);
  if (updates) writeFileSync(fileOf(name), text);
  expect(text).toBe(
    existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : 'no such file: write it with UPDATE_GOLDEN=1',
  );
});

test('every transcript has its scenario', () => {
  const files = readdirSync(new URL('./golden/', import.meta.url)).sort();
  expect(files).toEqual(scenarios.map(({ name }) => `${name}.txt`).sort());
});
