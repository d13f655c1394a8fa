import { expect, test } from 'vitest';
import { parseStat, usageOf } from './process-tree.ts';

const line = (name: string) =>
  `42 (${name}) S 7 42 42 0 -1 4194560 500 0 0 0 30 12 5 3 20 0 1 0 100 1000000 250 18446744073709551615 0 0`;

test.each(['nginx', 'a b', 'tricky) S 1 ('])('reads the line of a process called %j', (name) => {
  expect(parseStat(line(name))).toEqual({ pid: 42, parent: 7, ticks: 50, residentPages: 250 });
});

test('this process has used something', () => {
  const { cpuUs, residentBytes } = usageOf(process.pid);
  expect(cpuUs).toBeGreaterThan(0);
  expect(residentBytes).toBeGreaterThan(1_000_000);
});

test('one that is not there has used nothing', () => {
  expect(usageOf(0x7f_ff_ff)).toEqual({ cpuUs: 0, residentBytes: 0 });
});
