import { expect, test } from 'vitest';
import { parseHost } from './host.ts';

const rows: [value: string, want: string | undefined][] = [
  ['a.b', 'a.b '],
  ['A.B', 'a.b '],
  ['a.b.', 'a.b '],
  ['a.b:8443', 'a.b 8443'],
  ['a.b.:8443', 'a.b 8443'],
  ['a_b-c', 'a_b-c '],
  ['127.0.0.1:1', '127.0.0.1 1'],
  ['[::1]:8443', '[::1] 8443'],
  ['a:65535', 'a 65535'],
  ['', undefined],
  ['.', undefined],
  ['a..', undefined],
  ['a..b', undefined],
  ['.a', undefined],
  ['a:', undefined],
  [':80', undefined],
  ['a:80:90', undefined],
  ['a:65536', undefined],
  ['a:8x', undefined],
  ['a:-1', undefined],
  ['a, a', undefined],
  ['a b', undefined],
  ['a/b', undefined],
  ['a?b', undefined],
  ['u@a', undefined],
  ['u:p@a', undefined],
  ['a%2eb', undefined],
  ['a\x00.evil', undefined],
  ['\xe4.b', undefined],
  ['[::1', undefined],
  ['[::1].', undefined],
  ['::1', undefined],
  [`${'a.'.repeat(127)}ab`, undefined],
];
test.each(rows)('host %j', (value, want) => {
  const found = parseHost(value);
  expect(found && `${found.host} ${found.port}`).toBe(want);
});
