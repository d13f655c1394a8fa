import { describe, expect, test } from 'vitest';
import { normaliseAddress, parseCidrs } from './cidr.ts';

describe('a range', () => {
  const rows: [range: string, address: string, want: boolean][] = [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::10.1.2.3', false],
    ['192.168.4.0/23', '192.168.5.255', true],
    ['192.168.4.0/23', '192.168.6.0', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', true],
    ['fd00::/8', 'fdff:1::', true],
    ['fd00::/8', 'fe80::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['2001:db8:0:8000::/49', '2001:db8:0:ffff::1', true],
    ['2001:db8:0:8000::/49', '2001:db8:0:7fff::1', false],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['10.0.0.0/8', 'not an address', false],
    ['10.0.0.0/8', '', false],
  ];
  test.each(rows)('%s has %s: %s', (range, address, want) => {
    const set = parseCidrs([range]);
    expect(set.ok && set.value.has(address)).toBe(want);
  });

  test.each([
    '',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.1/8',
    '10.0.0/8',
    'fd00::/129',
    'fd00::1/64',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/ 8',
    'example.com',
  ])('%j is refused', (range) => expect(parseCidrs([range]).ok).toBe(false));
});

test.each([
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:db8::1', '2001:db8::1'],
])('%s is spelt %s', (given, want) => expect(normaliseAddress(given)).toBe(want));
