import { expect, test } from 'vitest';
import { escaped, minimise } from './minimise.ts';
import { makeCase, segmentsOf } from './requests/case.ts';
import { makeResponseCase } from './responses/case.ts';

test('a seed is one case, and the next seed another', () => {
  expect(makeCase('mutated', 7, 'a.test')).toEqual(makeCase('mutated', 7, 'a.test'));
  expect(makeCase('mutated', 7, 'a.test').bytes).not.toBe(makeCase('mutated', 8, 'a.test').bytes);
  expect(makeResponseCase(7)).toEqual(makeResponseCase(7));
});

test('segments are the whole case, cut', () => {
  for (let seed = 1; seed < 200; seed++) {
    const subject = makeCase('mutated', seed, 'a.test');
    expect(segmentsOf(subject).join('')).toBe(subject.bytes);
  }
});

test('what fails is made as small as it can be, cuts and all', async () => {
  const subject = { bytes: `${'a'.repeat(300)}X${'b'.repeat(200)}Y${'c'.repeat(77)}`, cuts: [10, 400] };
  const smallest = await minimise(subject, async ({ bytes }) => /X.*Y/.test(bytes));
  expect(smallest).toEqual({ bytes: 'XY', cuts: [] });
});

test('what only fails in pieces keeps them', async () => {
  const fails = async ({ bytes, cuts }: { bytes: string; cuts: readonly number[] }) => cuts.some((cut) => bytes[cut] === 'X');
  expect(await minimise({ bytes: 'aaaaXbbbb', cuts: [2, 4] }, fails)).toEqual({ bytes: 'aX', cuts: [1] });
});

test('bytes are printed so that they can be pasted', () => {
  expect(escaped('a\r\n\x00"\x7f\xff')).toBe('"a\\r\\n\\x00\\"\\x7f\\xff"');
});
