import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSigningKeys, peerIn, verifyOperatorToken } from '@sallyport/wire';
import { afterAll, describe, expect, test } from 'vitest';
import { execute } from './execute.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-pki-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The third word of each is a directory. */
async function run(...[group = '', command = '', folder = '', ...rest]: string[]) {
  const argv = [group, command, join(directory, folder), ...rest];
  const said = { out: '', err: '' };
  const code = await execute({
    argv,
    env: {},
    cwd: directory,
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
    signal: new AbortController().signal,
  });
  return { code, ...said };
}

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: Record<string, string>;
}
const itemsOf = (out: string): Item[] => (JSON.parse(out) as { items: Item[] }).items;
const decoded = (item: Item | undefined, key: string): string => Buffer.from(item?.data[key] ?? '', 'base64').toString();

test('Secrets hold what each app needs and no more, and running it again changes nothing that is good', async () => {
  const first = await run('pki', 'secrets', 'pki', '--namespace', 'doors', '--trust-domain', 'acme.test');
  expect(first).toMatchObject({ code: 0, err: '' });
  const items = itemsOf(first.out);
  expect(
    items.map(({ kind, metadata, data }) => `${kind} ${metadata.namespace}/${metadata.name}: ${Object.keys(data).join(' ')}`),
  ).toEqual([
    'Secret doors/sallyport-gateway-internal: ca.crt tls.crt tls.key',
    'Secret doors/sallyport-supervisor-internal: ca.crt tls.crt tls.key',
    'Secret doors/sallyport-driver-internal: ca.crt tls.crt tls.key',
    'Secret doors/sallyport-discovery-internal: ca.crt tls.crt tls.key',
    'Secret doors/sallyport-edge-internal: ca.crt tls.crt tls.key',
    'Secret doors/sallyport-signing-keys: 0001.jwk',
    'ConfigMap doors/sallyport-verify-keys: 0001.jwk',
  ]);
  const gateway = new X509Certificate(decoded(items[0], 'tls.crt'));
  expect(peerIn(gateway.subjectAltName, 'acme.test')).toEqual({ app: 'gateway', id: 'installation' });
  expect(gateway.checkHost('sallyport-gateway.doors.svc')).toBeDefined();
  expect(gateway.verify(new X509Certificate(decoded(items[0], 'ca.crt')).publicKey)).toBe(true);
  expect(JSON.parse(decoded(items[5], '0001.jwk'))).toHaveProperty('d');
  expect(JSON.parse(items[6]?.data['0001.jwk'] ?? '')).not.toHaveProperty('d');
  expect(first.out).not.toContain(readFileSync(join(directory, 'pki/internal-ca.pem')).toString('base64'));

  const again = await run('pki', 'secrets', 'pki', '--namespace', 'doors', '--trust-domain', 'acme.test');
  expect(again.out).toBe(first.out);
});

test('a new signing key signs, the one before still verifies', async () => {
  const only = await run('pki', 'secrets', 'keys', '--signing-keys-only');
  expect(itemsOf(only.out).map(({ metadata }) => metadata.name)).toEqual(['sallyport-signing-keys', 'sallyport-verify-keys']);
  const old = (await run('pki', 'token', 'keys', '--principal', 'ada', '--role', 'admin')).out.trim();
  await run('pki', 'secrets', 'keys', '--signing-keys-only', '--new-signing-key');
  const young = (await run('pki', 'token', 'keys', 'team', '--principal', 'bob', '--role', 'editor')).out.trim();
  const keys = await openSigningKeys(join(directory, 'keys/verify-keys'));
  if (!keys.ok) throw new Error(keys.error);
  expect(await verifyOperatorToken(keys.value, old, 'gateway')).toEqual({
    ok: true,
    value: { principal: 'ada', role: { kind: 'admin' } },
  });
  expect(await verifyOperatorToken(keys.value, young, 'gateway')).toEqual({
    ok: true,
    value: { principal: 'bob', role: { kind: 'editor', workspaces: ['team'] } },
  });
  keys.value.close();
});

test('a trial has a certificate for its domain, under a CA that is worth nothing elsewhere', async () => {
  const { out } = await run('pki', 'secrets', 'trial', '--domain', 'apps.acme.test');
  const item = itemsOf(out).find(({ metadata }) => metadata.name === 'sallyport-apps');
  const certificate = new X509Certificate(decoded(item, 'tls.crt'));
  const ca = new X509Certificate(readFileSync(join(directory, 'trial/apps-ca.crt')));
  expect(certificate.checkHost('team--demo--web.apps.acme.test')).toBeDefined();
  expect(certificate.verify(ca.publicKey)).toBe(true);
  expect(Object.keys(item?.data ?? {})).toEqual(['tls.crt', 'tls.key']);
});

test('what is private is its owner’s alone', async () => {
  expect(await run('pki', 'files', 'own', '--names', 'door.example')).toMatchObject({ code: 0, out: '' });
  const mode = (path: string): string => (statSync(join(directory, 'own', path)).mode & 0o777).toString(8);
  expect(['', 'internal-ca.pem', 'gateway.key', 'signing-keys', 'signing-keys/0001.jwk'].map(mode)).toEqual([
    '700',
    '600',
    '600',
    '700',
    '600',
  ]);
});

describe('is refused', () => {
  const rows: [title: string, argv: string[], code: number, why: RegExp][] = [
    ['a release in capitals', ['secrets', 'x', '--release', 'Door'], 64, /no name of a release/],
    ['a namespace with a dot', ['secrets', 'x', '--namespace', 'a.b'], 64, /no name of a namespace/],
    ['a trust domain that is none', ['secrets', 'x', '--trust-domain', 'A B'], 1, /SPIFFE|trust domain/],
    ['a domain that is none', ['files', 'x', '--domain', '*.acme.test'], 1, /not a domain/],
    ['a host name that is none', ['files', 'x', '--names', 'a_b'], 1, /not a host name/],
    ['a token of no keys', ['token', 'nowhere', '--principal', 'ada', '--role', 'admin'], 1, /pki secrets/],
    ['a token for nobody', ['token', 'x', '--role', 'admin'], 64, /--principal/],
    ['a token of no role', ['token', 'x', '--principal', 'ada'], 64, /--role is missing/],
    ['an admin of a workspace', ['token', 'x', 'team', '--principal', 'ada', '--role', 'admin'], 64, /not limited/],
    ['an editor of none', ['token', 'x', '--principal', 'ada', '--role', 'editor'], 64, /needs workspaces/],
    ['a workspace that is none', ['token', 'x', 'a--b', '--principal', 'ada', '--role', 'viewer'], 64, /a--b/],
    ['a token for ever', ['token', 'x', '--principal', 'ada', '--role', 'admin', '--days', '9999'], 64, /--days/],
  ];
  test.each(rows)('%s', async (_title, argv, code, why) => {
    const ended = await run('pki', ...argv);
    expect(ended.err).toMatch(why);
    expect(ended.code).toBe(code);
  });
});
