import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '@sallyport/model';
import { type CryptoKey, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signOperatorToken, verifyOperatorToken } from './operator-token.ts';
import type { Operator } from './roles.ts';
import { type SandboxClaims, signSandboxToken, verifySandboxToken } from './sandbox-token.ts';
import { createSigningKey, openSigningKeys, type SigningKeys } from './signing-keys.ts';
import { TOKEN_EXPIRED } from './verify-token.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
const claims: SandboxClaims = { sandboxId: 'sb1', poolId: 'p1', credentialEpoch: 2n ** 60n, generation: 'g1' } as never;
const now = new Date('2026-11-30T12:00:00Z');
let keys: SigningKeys;
let key: { privateJwk: string; publicJwk: string };

const opened = async (path: string, refreshMs?: number): Promise<SigningKeys> => {
  const result = await openSigningKeys(path, refreshMs);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

beforeAll(async () => {
  key = await createSigningKey();
  writeFileSync(join(directory, '1.jwk'), key.privateJwk);
  keys = await opened(directory);
});
afterAll(() => {
  keys.close();
  rmSync(directory, { recursive: true });
});

test('a sandbox token proves what it was signed for', async () => {
  expect(await verifySandboxToken(keys, await signSandboxToken(keys, claims))).toEqual({ ok: true, value: claims });
});

const operators: Operator[] = [
  { principal: 'root', role: { kind: 'admin' } },
  { principal: 'ann', role: { kind: 'editor', workspaces: ['team' as never] } },
  { principal: 'bob', role: { kind: 'viewer', workspaces: 'all' } },
];
test.each(operators)('an operator token of $role.kind is taken by gateways and discovery', async (operator) => {
  const token = await signOperatorToken(keys, operator, 60_000, now);
  expect(await verifyOperatorToken(keys, token, 'gateway', now)).toEqual({ ok: true, value: operator });
  expect(await verifyOperatorToken(keys, token, 'discovery', now)).toEqual({ ok: true, value: operator });
});

test('a token for discovery is taken by discovery only', async () => {
  const edge: Operator = { principal: 'edge-1', role: { kind: 'reader', workspaces: ['team' as never] } };
  const token = await signOperatorToken(keys, edge, 60_000, now);
  expect(await verifyOperatorToken(keys, token, 'discovery', now)).toEqual({ ok: true, value: edge });
  expect(await verifyOperatorToken(keys, token, 'gateway', now)).toMatchObject({
    error: { message: 'the token is for another audience' },
  });
});

describe('a token is refused, with the reason', () => {
  const good = { role: 'admin' };
  const signed = async (
    change: {
      claims?: object;
      issuer?: string;
      audience?: string;
      expiresAt?: Date | undefined;
      header?: object;
      with?: 'ours' | 'another';
    } = {},
  ): Promise<string> => {
    const ours = (await importJWK(JSON.parse(key.privateJwk), 'EdDSA')) as CryptoKey;
    const signer = change.with === 'another' ? (await generateKeyPair('EdDSA', { crv: 'Ed25519' })).privateKey : ours;
    const jwt = new SignJWT({ ...good, ...change.claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: JSON.parse(key.privateJwk).kid, ...change.header })
      .setIssuer(change.issuer ?? 'sallyport')
      .setAudience(change.audience ?? 'sallyport-operators')
      .setSubject('root');
    if (!('expiresAt' in change)) jwt.setExpirationTime(new Date(now.getTime() + 60_000));
    else if (change.expiresAt !== undefined) jwt.setExpirationTime(change.expiresAt);
    return jwt.sign(signer);
  };
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"role":"admin"}').toString('base64url')}.`;

  const rows: [title: string, token: () => Promise<string>, why: RegExp | string][] = [
    ['expired', () => signed({ expiresAt: new Date(now.getTime() - 6_000) }), TOKEN_EXPIRED],
    ['without an end', () => signed({ expiresAt: undefined }), /"exp"/],
    ['of another issuer', () => signed({ issuer: 'evil' }), /"iss"/],
    ['for another audience', () => signed({ audience: 'sallyport-supervisor' }), /another audience/],
    ['signed by another key under our name', () => signed({ with: 'another' }), /not validly signed/],
    ['of a key that is not known', () => signed({ header: { kid: 'nobody' } }), /key that is not known/],
    ['without a key id', () => signed({ header: { kid: undefined } }), /key that is not known/],
    ['of a role that there is not', () => signed({ claims: { role: 'owner' } }), /role/],
    ['of an editor of everything', () => signed({ claims: { role: 'editor', workspaces: 'all' } }), /role/],
    ['of an editor of no list', () => signed({ claims: { role: 'editor', workspaces: 'team' } }), /role/],
    ['of a viewer of bad names', () => signed({ claims: { role: 'viewer', workspaces: ['Team'] } }), /role/],
    ['of a viewer without workspaces', () => signed({ claims: { role: 'viewer' } }), /role/],
    ['unsigned', async () => none, /key that is not known/],
    ['no token', async () => 'abc', /not a signed JWT/],
    ['empty', async () => '', /not a signed JWT/],
    ['too long', async () => `${await signed()}${'x'.repeat(9_000)}`, /too long/],
    [
      'changed by one character',
      async () => (await signed()).replace(/\.(.)/, (_, first) => `.${first === 'e' ? 'f' : 'e'}`),
      /not validly signed/,
    ],
  ];
  test.each(rows)('%s', async (_title, token, why) => {
    const result: Result<unknown, unknown> = await verifyOperatorToken(keys, await token(), 'gateway', now);
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'unauthenticated', message: typeof why === 'string' ? why : expect.stringMatching(why) },
    });
  });

  test('a sandbox token is no operator token, nor the other way', async () => {
    expect(await verifyOperatorToken(keys, await signSandboxToken(keys, claims), 'gateway')).toMatchObject({ ok: false });
    expect(
      await verifySandboxToken(keys, await signed({ claims: { pool: 'p1', epoch: '1', generation: 'g1' } }), now),
    ).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/audience/) },
    });
  });
});

describe('the keys of a directory', () => {
  test.each([
    ['none', {}, /no \*\.jwk/],
    ['no JSON', { 'a.jwk': 'x' }, /not an Ed25519 key/],
    ['another curve', { 'a.jwk': '{"kty":"OKP","crv":"X25519","x":"AA"}' }, /not an Ed25519 key/],
    ['a shared secret', { 'a.jwk': '{"kty":"oct","k":"AAAA"}' }, /not an Ed25519 key/],
  ])('are refused: %s', async (_title, files, why) => {
    const path = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
    for (const [name, contents] of Object.entries(files)) writeFileSync(join(path, name), contents);
    expect(await openSigningKeys(path)).toEqual({ ok: false, error: expect.stringMatching(why) });
    rmSync(path, { recursive: true });
  });

  test('the last by name signs, all verify, and changes are followed', async () => {
    const path = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
    writeFileSync(join(path, '1.jwk'), key.privateJwk);
    const rolling = await opened(path, 10);
    const old = await signSandboxToken(rolling, claims);
    const next = await createSigningKey();
    writeFileSync(join(path, '2.jwk'), next.privateJwk);
    await expect.poll(async () => verifySandboxToken(keys, await signSandboxToken(rolling, claims))).toMatchObject({ ok: false });
    expect(await verifySandboxToken(rolling, old)).toMatchObject({ ok: true });
    writeFileSync(join(path, '3.jwk'), 'half written');
    await expect.poll(() => rolling.problem()).toMatch(/3\.jwk/);
    expect(await verifySandboxToken(rolling, old)).toMatchObject({ ok: true });
    unlinkSync(join(path, '3.jwk'));
    unlinkSync(join(path, '1.jwk'));
    await expect.poll(() => verifySandboxToken(rolling, old)).toMatchObject({ ok: false });
    rolling.close();
    rmSync(path, { recursive: true });
  });

  test('public halves verify and cannot sign', async () => {
    const path = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
    writeFileSync(join(path, '1.jwk'), key.publicJwk);
    const verifier = await opened(path);
    expect(await verifySandboxToken(verifier, await signSandboxToken(keys, claims))).toMatchObject({ ok: true });
    await expect(signSandboxToken(verifier, claims)).rejects.toThrow('no key here can sign');
    verifier.close();
    rmSync(path, { recursive: true });
  });
});
