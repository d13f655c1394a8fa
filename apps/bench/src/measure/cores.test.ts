import { expect, test } from 'vitest';
import { shareCores } from './cores.ts';

test.each([
  ['0-1', { proxy: '0', load: '1' }],
  ['2,5', { proxy: '2', load: '5' }],
  ['0-2,8', { proxy: '0', load: '1,2,8' }],
  ['0', undefined],
])('%s', (allowed, want) => {
  expect(shareCores(allowed)).toEqual(want);
});
