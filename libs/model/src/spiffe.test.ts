import { describe, expect, test } from 'vitest';
import { isSpiffeId, isTrustDomain, spiffeId } from './spiffe.ts';

describe('a SPIFFE id', () => {
  test('names app and id', () => expect(spiffeId('example.org', 'gateway', 'g1')).toBe('spiffe://example.org/gateway/g1'));
  test('is one', () => expect(isSpiffeId(spiffeId('example.org', 'gateway', 'g1'))).toBe(true));
  test.each([
    ['', 'gateway', 'g1'],
    ['Example.org', 'gateway', 'g1'],
    ['example.org', '', 'g1'],
    ['example.org', 'gateway', ''],
    ['example.org', 'gateway', 'a/b'],
    ['example.org', 'gateway', '..'],
    ['example.org', 'gateway', 'a%2fb'],
    ['example.org/x', 'gateway', 'g1'],
  ])('is not made of %j, %j, %j', (...parts) => expect(() => spiffeId(...parts)).toThrow(RangeError));
  test.each([
    'https://example.org/gateway/g1',
    'spiffe://example.org',
    'spiffe://example.org/',
    'spiffe:///gateway/g1',
    'spiffe://example.org/gateway/..',
    'spiffe://example.org/gateway/g1?x',
    'SPIFFE://example.org/gateway/g1',
  ])('%s is none', (uri) => expect(isSpiffeId(uri)).toBe(false));
});

test.each([
  ['example.org', true],
  ['sallyport.local', true],
  ['', false],
  ['Example.org', false],
  ['-example.org', false],
  ['example.org/x', false],
])('%j as a trust domain: %s', (text, want) => expect(isTrustDomain(text)).toBe(want));
