import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AuthorityOptions, createAuthority } from './authority.ts';
import { keepAuthority, keepCertificate } from './keep.ts';
import type { LeafOptions } from './leaf.ts';

const now = new Date('2026-03-01T12:00:00Z');
const inDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const ca: AuthorityOptions = { commonName: 'dev', permittedDomains: ['apps.localhost'], usages: ['server'], days: 90, now };
const leaf: LeafOptions = {
  dnsNames: ['*.apps.localhost'],
  ipAddresses: ['::1', '127.0.0.1'],
  usages: ['server'],
  days: 30,
  now,
};

let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'keep-')), 'state');
});
afterEach(() => rm(dirname(directory), { recursive: true }));
const modeOf = async (name: string): Promise<number> => (await stat(join(directory, name))).mode & 0o777;

describe('the CA of a directory', () => {
  const keep = (options: Partial<AuthorityOptions> = {}) => keepAuthority(directory, 'ca', { ...ca, ...options });

  test('is made with tight modes, its certificate readable for all', async () => {
    const kept = await keep();
    expect(await readdir(directory)).toEqual(['ca.crt', 'ca.pem']);
    expect([await modeOf('.'), await modeOf('ca.pem'), await modeOf('ca.crt')]).toEqual([0o700, 0o600, 0o644]);
    expect(await readFile(kept.certFile, 'utf8')).toBe(kept.certPem);
    expect(kept.certPem).not.toMatch(/PRIVATE/);
  });
  test('is used again, and still signs', async () => {
    const first = await keep();
    const again = await keep({ now: inDays(50) });
    expect(again.certPem).toBe(first.certPem);
    const issued = await again.issue({ ...leaf, now: inDays(50) });
    expect(new X509Certificate(issued.certPem).verify(new X509Certificate(first.certPem).publicKey)).toBe(true);
  });
  test('is tightened when somebody opened it', async () => {
    await keep();
    await chmod(join(directory, 'ca.pem'), 0o644);
    await keep();
    expect(await modeOf('ca.pem')).toBe(0o600);
  });
  test('gets its public file back', async () => {
    const first = await keep();
    await writeFile(first.certFile, 'nonsense');
    expect(await readFile((await keep()).certFile, 'utf8')).toBe(first.certPem);
  });
  test('is one, also when several make it at once', async () => {
    const kept = await Promise.all([keep(), keep(), keep(), keep()]);
    expect(new Set(kept.map(({ certPem }) => certPem)).size).toBe(1);
    expect(await readdir(directory)).toEqual(['ca.crt', 'ca.pem']);
  });

  const renewed: [title: string, options: Partial<AuthorityOptions>][] = [
    ['another domain', { permittedDomains: ['apps.test'] }],
    ['one domain more', { permittedDomains: ['apps.localhost', 'apps.test'] }],
    ['another name', { commonName: 'other' }],
    ['another usage', { usages: ['server', 'client'] }],
    ['a day near its end', { now: inDays(61) }],
    ['a day after its end', { now: inDays(91) }],
    ['a day before its beginning', { now: inDays(-1) }],
  ];
  test.each(renewed)('is made anew for %s', async (_title, options) => {
    const first = await keep();
    const next = await keep(options);
    expect(next.certPem).not.toBe(first.certPem);
    expect((await keep(options)).certPem).toBe(next.certPem);
  });
  test.each([
    ['cut off', (text: string) => text.slice(0, -80)],
    ['empty', () => ''],
    ['without its key', (text: string) => text.replace(/-----BEGIN PRIVATE[\s\S]*/, '')],
    [
      'with a certificate that is none',
      (text: string) => text.replace(/(BEGIN CERTIFICATE-----\n)[A-Za-z0-9+/]{8}/, '$1AAAAAAAA'),
    ],
  ])('is made anew when its file is %s', async (_title, damage) => {
    const first = await keep();
    const path = join(directory, 'ca.pem');
    await writeFile(path, damage(await readFile(path, 'utf8')));
    expect((await keep()).certPem).not.toBe(first.certPem);
  });
});

describe('the certificate of a directory', () => {
  const authority = createAuthority(ca);
  const keep = async (options: Partial<LeafOptions> = {}, under = authority) =>
    keepCertificate(directory, 'apps', await under, { ...leaf, ...options });

  test('is made with tight modes', async () => {
    const kept = await keep();
    expect([await modeOf('apps.key'), await modeOf('apps.crt')]).toEqual([0o600, 0o644]);
    expect(await readFile(kept.keyFile, 'utf8')).toBe(kept.keyPem);
    expect(await readFile(kept.certFile, 'utf8')).toBe(kept.certPem);
  });
  test.each<[string, Partial<LeafOptions>]>([
    ['the same wish', {}],
    ['the names in another order', { ipAddresses: ['127.0.0.1', '::1'] }],
    ['an address in another spelling', { ipAddresses: ['0:0:0:0:0:0:0:1', '127.0.0.1'] }],
    ['a later day', { now: inDays(15) }],
  ])('is used again for %s', async (_title, options) => {
    const first = await keep();
    expect(await keep(options)).toEqual(first);
  });
  test.each<[string, Partial<LeafOptions>]>([
    ['another name', { dnsNames: ['*.other.apps.localhost'] }],
    ['a name more', { dnsNames: ['*.apps.localhost', 'apps.localhost'] }],
    ['an address less', { ipAddresses: ['127.0.0.1'] }],
    ['another usage', { usages: ['server', 'client'] }],
    ['a day near its end', { now: inDays(21) }],
  ])('is made anew for %s', async (_title, options) => {
    const first = await keep();
    expect((await keep(options)).certPem).not.toBe(first.certPem);
  });
  test('is made anew under another CA of the same name', async () => {
    const first = await keep();
    expect((await keep({}, createAuthority(ca))).certPem).not.toBe(first.certPem);
  });
  test('is made anew when the key is of another pair', async () => {
    const first = await keep();
    await writeFile(first.keyFile, (await (await authority).issue(leaf)).keyPem);
    const next = await keep();
    expect(next.certPem).not.toBe(first.certPem);
    expect(await keep()).toEqual(next);
  });
});
