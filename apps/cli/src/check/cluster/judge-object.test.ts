import { createAuthority } from '@sallyport/pki';
import { createSigningKey } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import type { NeededObject } from './installed.ts';
import { judgeObject, unverifiable } from './judge-object.ts';

const now = new Date('2026-03-01T00:00:00Z');
const DAY_MS = 86_400_000;
const ca = await createAuthority({ commonName: 'CA', days: 3_650, now });
const other = await createAuthority({ commonName: 'other', days: 3_650, now });
const issue = (dnsNames: readonly string[], days = 365) => ca.issue({ dnsNames, usages: ['server'], days, now });
const [good, short, second] = [await issue(['*.apps.test']), await issue(['*.apps.test'], 10), await issue(['x.test'])];
const keys = [await createSigningKey(), await createSigningKey()] as const;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (data: Readonly<Record<string, string>>) => ({
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
});
const pair = { 'ca.crt': ca.certPem, 'tls.crt': good.certPem, 'tls.key': good.keyPem };
const needed = (change: Partial<NeededObject> = {}): NeededObject => ({
  kind: 'Secret',
  name: 's',
  keys: ['ca.crt', 'tls.crt', 'tls.key'],
  jwks: false,
  forApps: false,
  ...change,
});
const apps = needed({ keys: ['tls.crt', 'tls.key'], forApps: true });
const signing = needed({ keys: [], jwks: true });
const verify = needed({ kind: 'ConfigMap', keys: [], jwks: true });

interface Row {
  readonly needed?: NeededObject;
  readonly object: unknown;
  readonly domain?: string;
  readonly afterDays?: number;
}
const judge = ({ needed: what = needed(), object, domain, afterDays = 0 }: Row) =>
  judgeObject(what, object, { nowMs: now.getTime() + afterDays * DAY_MS, domain });

describe('is of use', () => {
  const rows: [title: string, row: Row, detail: RegExp][] = [
    ['a pair of its CA', { object: secret(pair) }, /^its certificate is good until 2027-02-28$/],
    ['a pair beside what nobody reads', { object: secret({ ...pair, more: 'x' }) }, /is good until/],
    ['a certificate of the domain', { needed: apps, object: secret(pair), domain: 'apps.test' }, /covers \*\.apps\.test until/],
    ['keys that sign', { needed: signing, object: secret({ '0001.jwk': keys[0].privateJwk }) }, /^has 1 key$/],
    [
      'keys that verify',
      { needed: verify, object: { data: { '1.jwk': keys[0].publicJwk, '2.jwk': keys[1].publicJwk } } },
      /^has 2 keys$/,
    ],
    ['a file that is no pair', { needed: needed({ keys: ['token'] }), object: secret({ token: 'x' }) }, /^has token$/],
  ];
  test.each(rows)('%s', (_title, row, detail) => expect(judge(row)).toEqual({ ok: true, detail: expect.stringMatching(detail) }));
});

describe('is of no use', () => {
  const without = (key: keyof typeof pair) => secret(Object.fromEntries(Object.entries(pair).filter(([name]) => name !== key)));
  const rows: [title: string, row: Row, detail: RegExp][] = [
    ['nothing', { object: {} }, /^has no ca\.crt, tls\.crt, tls\.key; it has nothing$/],
    ['no key', { object: without('tls.key') }, /^has no tls\.key; it has ca\.crt, tls\.crt$/],
    ['an empty key', { object: secret({ ...pair, 'tls.key': '' }) }, /^has no tls\.key/],
    ['no certificate', { object: secret({ ...pair, 'tls.crt': 'x' }) }, /^tls\.crt is no certificate/],
    ['a key that is none', { object: secret({ ...pair, 'tls.key': 'x' }) }, /^tls\.key is no private key/],
    ['the key of another', { object: secret({ ...pair, 'tls.key': second.keyPem }) }, /^tls\.key is not the key of tls\.crt$/],
    ['another CA', { object: secret({ ...pair, 'ca.crt': other.certPem }) }, /^tls\.crt is not of the CA/],
    ['a CA that is none', { object: secret({ ...pair, 'ca.crt': 'x' }) }, /^tls\.crt is not of the CA/],
    ['one that has ended', { object: secret(pair), afterDays: 366 }, /^its certificate ended on 2027-02-28$/],
    ['one that ends soon', { object: secret({ ...pair, 'tls.crt': short.certPem, 'tls.key': short.keyPem }) }, /ends in 9 days/],
    ['one that is not valid yet', { object: secret(pair), afterDays: -2 }, /is not valid before/],
    ['a certificate of another domain', { needed: apps, object: secret(pair), domain: 'other.test' }, /not for \*\.other\.test$/],
    ['no keys', { needed: signing, object: secret({ a: 'x' }) }, /^has no \*\.jwk; it has a$/],
    ['keys that cannot sign', { needed: signing, object: secret({ '1.jwk': keys[0].publicJwk }) }, /^1\.jwk is no private/],
    ['a key that is no JSON', { needed: signing, object: secret({ '1.jwk': '{' }) }, /^1\.jwk is no private/],
    [
      'private keys for all to read',
      { needed: verify, object: { data: { '1.jwk': keys[0].privateJwk } } },
      /^1\.jwk is no public .*a private one has no place here$/,
    ],
  ];
  test.each(rows)('%s', (_title, row, detail) => {
    const judged = judge(row);
    expect(judged).toEqual({ ok: false, detail: expect.stringMatching(detail) });
    expect(judged.detail).not.toMatch(/BEGIN|"d"/);
  });
});

test('keys that nobody could verify with are named', () => {
  const signs = secret({ '1.jwk': keys[0].privateJwk, '2.jwk': keys[1].privateJwk, note: 'x' });
  expect(unverifiable(signs, { data: { 'any.jwk': keys[0].publicJwk, '2.jwk': keys[1].publicJwk } })).toEqual([]);
  expect(unverifiable(signs, { data: { '1.jwk': keys[0].publicJwk } })).toEqual(['2.jwk']);
  expect(unverifiable(signs, {})).toEqual(['1.jwk', '2.jwk']);
});
