import { expect, test } from 'vitest';
import { formatAddress } from './address.ts';

test.each([
  ['127.0.0.1', 8443, '127.0.0.1:8443'],
  ['gateway.example', 7443, 'gateway.example:7443'],
  ['::1', 8443, '[::1]:8443'],
  ['fe80::1%eth0', 0, '[fe80::1%eth0]:0'],
  ['::ffff:10.0.0.7', 443, '[::ffff:10.0.0.7]:443'],
])('%s and %d are written %s', (host, port, want) => expect(formatAddress({ host, port })).toBe(want));
