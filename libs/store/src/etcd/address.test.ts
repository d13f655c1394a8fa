import { describe, expect, test } from 'vitest';
import { parseAddresses, splitEndpoints } from './address.ts';

describe('endpoints', () => {
  const taken: [endpoint: string, tls: boolean, address: string][] = [
    ['127.0.0.1:2379', false, '127.0.0.1:2379'],
    ['127.0.0.1:2379', true, '127.0.0.1:2379'],
    ['http://etcd-0.etcd:2379', false, 'etcd-0.etcd:2379'],
    ['https://etcd-0.etcd:2379/', true, 'etcd-0.etcd:2379'],
    ['etcd://localhost:2379', false, 'localhost:2379'],
    ['[::1]:2379', false, '[::1]:2379'],
  ];
  test.each(taken)('takes %s, TLS %s', (endpoint, tls, address) => {
    expect(parseAddresses([endpoint], tls)).toEqual([address]);
  });

  const refused: [endpoint: string, tls: boolean, says: RegExp][] = [
    ['etcd', false, /host:port/],
    ['etcd:', false, /host:port/],
    ['etcd:0', false, /no port that exists/],
    ['etcd:65536', false, /no port that exists/],
    ['ftp://etcd:2379', false, /host:port/],
    ['http://user@etcd:2379', false, /host:port/],
    ['https://etcd:2379', false, /asks for TLS/],
    ['http://etcd:2379', true, /without TLS/],
  ];
  test.each(refused)('refuses %s, TLS %s', (endpoint, tls, says) => {
    expect(() => parseAddresses([endpoint], tls)).toThrow(says);
  });
  test('refuses to have none', () => expect(() => parseAddresses([], false)).toThrow(/no endpoint/));
  test('splits the form of one setting', () => expect(splitEndpoints('etcd://a:2379, b:2379,')).toEqual(['a:2379', 'b:2379']));
});
