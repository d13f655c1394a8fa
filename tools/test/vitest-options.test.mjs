import { expect, test } from 'vitest';
import { wrongOption } from './vitest-options.mjs';

test.each([
  ['an option of nobody', ['--bogus'], /^there is no option "--bogus"$/],
  ['one of nobody with a value', ['--bogus=1', 'libs'], /^there is no option "--bogus"$/],
  ['one beside good ones', ['-t', 'x', '--bogus'], /^there is no option "--bogus"$/],
])('%s is named', (_title, args, why) => {
  expect(wrongOption(args)).toMatch(why);
});

test.each([
  ['nothing', []],
  ['files', ['libs/http1', 'apps/e2e/src/testing/takeover.e2e.ts']],
  ['a name', ['-t', 'a shared owner']],
  [
    'what vitest takes',
    ['--testNamePattern=x', '--bail=1', '--retry', '2', '--silent', '--no-color', '--coverage.enabled', '--test-timeout=9'],
  ],
])('%s is taken', (_title, args) => {
  expect(wrongOption(args)).toBeUndefined();
});
