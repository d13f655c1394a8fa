import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig } from '@sallyport/supervisor';
import { expect, test } from 'vitest';

const page = await readFile(resolve(import.meta.dirname, '../../../../docs/your-application.md'), 'utf8');
const reading = readConfig({ env: {}, args: ['--help'] });
const help = reading.kind === 'help' ? reading.text.replaceAll(/\n {20,}/g, ' ') : '';

/** Flags with their defaults, as the page has them and as the supervisor itself says. */
const written = [...page.matchAll(/\| (\S+) \| `(--[a-z-]+)` \|/g)].map(([, value, flag]) => [flag, value]);
const real = [...help.matchAll(/(--(?:max-[a-z-]+|[a-z-]+-timeout)) \S+ .*? Default (\S+)\. /g)].map(([, flag, value]) => [
  flag,
  value,
]);

test('docs/your-application.md lists every limit of a supervisor, with its flag and default', () => {
  expect(real.length).toBeGreaterThan(10);
  expect(written).toEqual(real);
});
