import { X509Certificate } from 'node:crypto';
import { spiffeId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { type AuthorityOptions, createAuthority, loadAuthority } from './authority.ts';
import type { LeafOptions } from './leaf.ts';
import { isDue } from './validity.ts';

const now = new Date('2026-03-01T12:00:00Z');
const dev: AuthorityOptions = {
  commonName: 'Sallyport development, CA',
  permittedDomains: ['apps.localhost'],
  usages: ['server'],
  days: 365,
  now,
};
const wildcard: LeafOptions = { dnsNames: ['*.apps.localhost', 'apps.localhost'], usages: ['server'], days: 90, now };
const daysOf = (certificate: X509Certificate): number =>
  (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / 86_400_000;

describe('a CA', () => {
  test('is one, signs nothing but certificates, and vouches for its domain alone', async () => {
    const { certPem, notAfter } = await createAuthority(dev);
    const certificate = new X509Certificate(certPem);
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe('CN=Sallyport development\\, CA');
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(notAfter).toEqual(new Date('2027-03-01T12:00:00Z'));
    expect(certificate.validFromDate).toEqual(new Date('2026-03-01T11:55:00Z'));
  });
  test('comes back from its PEM and signs as before', async () => {
    const { certPem, keyPem } = await createAuthority(dev);
    const loaded = await loadAuthority(certPem, keyPem);
    const leaf = new X509Certificate((await loaded.issue(wildcard)).certPem);
    expect(leaf.verify(new X509Certificate(certPem).publicKey)).toBe(true);
  });

  const refused: [title: string, options: Partial<AuthorityOptions>][] = [
    ['for no domain', { permittedDomains: [] }],
    ['for a wildcard', { permittedDomains: ['*.apps.localhost'] }],
    ['for a domain in upper case', { permittedDomains: ['Apps.localhost'] }],
    ['for a domain with a leading dot', { permittedDomains: ['.apps.localhost'] }],
    ['for domains and a trust domain', { permittedTrustDomain: 'example.org' }],
    ['for no time', { days: 0 }],
  ];
  test.each(refused)('is not made %s', (_title, options) =>
    expect(createAuthority({ ...dev, ...options })).rejects.toThrow(RangeError),
  );
  test('is not made for a bad trust domain', () =>
    expect(createAuthority({ commonName: 'x', permittedTrustDomain: 'a/b', days: 1, now })).rejects.toThrow(RangeError));

  test('does not load with the key of another', async () => {
    const [one, other] = [await createAuthority(dev), await createAuthority(dev)];
    await expect(loadAuthority(one.certPem, other.keyPem)).rejects.toThrow(/not that of the certificate/);
  });
  test('does not load from a leaf', async () => {
    const leaf = await (await createAuthority(dev)).issue(wildcard);
    await expect(loadAuthority(leaf.certPem, leaf.keyPem)).rejects.toThrow(/not that of a CA/);
  });
  test.each(['', 'nonsense', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])('does not load from %j', (pem) =>
    expect(loadAuthority(pem, pem)).rejects.toThrow(),
  );
});

describe('a certificate', () => {
  test('has what browsers ask for: names, server use, at most 398 days', async () => {
    const ca = await createAuthority({ ...dev, days: 3_650 });
    const leaf = new X509Certificate((await ca.issue({ ...wildcard, days: 398 })).certPem);
    expect(leaf.subjectAltName).toBe('DNS:*.apps.localhost, DNS:apps.localhost');
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.ca).toBe(false);
    expect(daysOf(leaf)).toBe(398);
  });
  test('carries addresses and identities', async () => {
    const ca = await createAuthority({ commonName: 'internal', permittedTrustDomain: 'example.org', days: 10, now });
    const leaf = await ca.issue({
      uris: [spiffeId('example.org', 'gateway', 'g1')],
      ipAddresses: ['127.0.0.1', '::1'],
      usages: ['server', 'client'],
      days: 1,
      now,
    });
    expect(new X509Certificate(leaf.certPem).subjectAltName).toBe(
      'IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, URI:spiffe://example.org/gateway/g1',
    );
  });
  test('never outlives its CA', async () => {
    const ca = await createAuthority({ ...dev, days: 10 });
    expect((await ca.issue(wildcard)).notAfter).toEqual(ca.notAfter);
  });
  test('has a serial number of its own', async () => {
    const ca = await createAuthority(dev);
    const serials = await Promise.all(
      [1, 2, 3].map(async () => new X509Certificate((await ca.issue(wildcard)).certPem).serialNumber),
    );
    expect(new Set(serials).size).toBe(3);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
  test('takes host names that are longer than a common name may be', async () => {
    const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.apps.localhost`;
    const leaf = await (await createAuthority(dev)).issue({ ...wildcard, dnsNames: [name] });
    expect(new X509Certificate(leaf.certPem).checkHost(name)).toBe(name);
  });

  const refused: [title: string, options: Partial<LeafOptions>][] = [
    ['no name', { dnsNames: [] }],
    ['an empty name', { dnsNames: [''] }],
    ['a name in upper case', { dnsNames: ['Web.apps.localhost'] }],
    ['a name with a port', { dnsNames: ['web.apps.localhost:443'] }],
    ['a wildcard in the middle', { dnsNames: ['a.*.localhost'] }],
    ['a name with a trailing dot', { dnsNames: ['web.apps.localhost.'] }],
    ['an address that is a name', { ipAddresses: ['localhost'] }],
    ['a network', { ipAddresses: ['10.0.0.0/8'] }],
    ['an identity of another scheme', { uris: ['https://example.org/gateway/g1'] }],
    ['an identity without a path', { uris: ['spiffe://example.org'] }],
    ['an identity that climbs', { uris: ['spiffe://example.org/gateway/..'] }],
    ['an identity with a query', { uris: ['spiffe://example.org/gateway/g1?x'] }],
    ['no usage', { usages: [] }],
    ['no time', { days: 0 }],
    ['399 days', { days: 399 }],
    ['a time after its CA', { now: new Date('2030-01-01') }],
  ];
  test.each(refused)('is not issued for %s', async (_title, options) => {
    const ca = await createAuthority(dev);
    await expect(ca.issue({ ...wildcard, ...options })).rejects.toThrow(RangeError);
  });
});

test.each([
  ['at the beginning', '2026-01-01', false],
  ['with a third left and a little', '2026-02-28', false],
  ['with less than a third left', '2026-03-02', true],
  ['after its end', '2026-05-01', true],
  ['before its beginning', '2025-12-31', true],
])('is due for renewal %s: %s', (_title, date, due) => {
  const validity = { notBefore: new Date('2026-01-01'), notAfter: new Date('2026-03-31') };
  expect(isDue(validity, new Date(date))).toBe(due);
});
