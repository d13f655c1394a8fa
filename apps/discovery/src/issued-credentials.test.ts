import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { issuedCredentials } from './issued-credentials.ts';
import { createJwks, JWKS_COOLDOWN_MS, JWKS_FRESH_MS, JWKS_STALE_MAX_MS } from './jwks.ts';

const [issuer, audience] = ['https://id.example', 'sallyport-discovery'];
type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
const keys = new Map<string, { key: Key | Uint8Array; jwk: JWK; alg: string }>();
let published: JWK[] = [];
let status = 200;
let asked = 0;
let now = 0;
const server = createServer((_request, response) => {
  asked += 1;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: published }));
});

beforeAll(async () => {
  for (const [kid, alg] of [
    ['es', 'ES256'],
    ['ed', 'EdDSA'],
    ['rs', 'RS256'],
    ['next', 'ES256'],
    ['ps', 'PS256'],
  ] as const) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(kid, { key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, alg });
  }
  keys.set('hs', { key: new Uint8Array(32), jwk: { kty: 'oct', k: 'AAAA', kid: 'hs', alg: 'HS256' }, alg: 'HS256' });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  published = ['es', 'ed', 'rs', 'ps', 'hs'].flatMap((kid) => keys.get(kid)?.jwk ?? []);
  [status, asked, now] = [200, 0, 0];
});

const url = () => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`);
const verifier = () =>
  issuedCredentials({
    ...{ issuer, audience, principalPrefix: 'id:', workspacesClaim: 'workspaces' },
    jwks: createJwks({ kind: 'url', url: url() }, { now: () => now }),
  });
async function sign(kid: string, claims: object = {}, expires: string | Date = '1h'): Promise<string> {
  const { key, alg } = keys.get(kid) ?? keys.get('es') ?? { key: new Uint8Array(32), alg: 'HS256' };
  const payload = { iss: issuer, aud: audience, sub: 'edge-1', ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg, kid }).setExpirationTime(expires).sign(key);
}

describe("another issuer's token", () => {
  test.each(['es', 'ed', 'rs'])('under an %s key is taken, for a reader who needs a grant', async (kid) => {
    expect(await verifier()(await sign(kid, { workspaces: ['team'] }))).toMatchObject({
      value: { principal: 'id:edge-1', workspaces: new Set(['team']), needsGrant: true },
    });
  });
  test('without workspaces is bounded by its grant alone', async () => {
    expect(await verifier()(await sign('es'))).toMatchObject({ value: { workspaces: 'all', needsGrant: true } });
  });

  const rows: [title: string, token: () => Promise<string>, why: RegExp][] = [
    ['of another audience', () => sign('es', { aud: 'other' }), /another audience/],
    ['of another issuer', () => sign('es', { iss: 'https://evil.example' }), /"iss"/],
    ['that has expired', () => sign('es', {}, new Date(Date.now() - 60_000)), /expired/],
    ['without a subject', () => sign('es', { sub: undefined }), /"sub"/],
    ['whose subject is none', () => sign('es', { sub: 'a b' }), /subject/],
    ['whose workspaces are none', () => sign('es', { workspaces: ['A_B'] }), /no list of workspaces/],
    ['whose workspaces are a text', () => sign('es', { workspaces: 'team' }), /no list of workspaces/],
    ['under a shared secret', () => sign('hs'), /not signed with one of ES256/],
    ['under an algorithm that is not taken', () => sign('ps'), /not signed with one of ES256/],
    ['under a key that is not published', () => sign('next'), /does not publish/],
    ['that is none', async () => 'a.b.c', /not validly signed/],
  ];
  test.each(rows)('is refused: %s', async (_title, token, why) => {
    expect(await verifier()(await token())).toMatchObject({
      error: { kind: 'unauthenticated', message: expect.stringMatching(why) },
    });
  });
});

describe('the keys', () => {
  test('are asked for once, however many tokens come', async () => {
    const verify = verifier();
    const token = await sign('es');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect([outcomes.every(({ ok }) => ok), asked]).toEqual([true, 1]);
  });
  test('are asked for again when one is not known, but not more often than the cooldown', async () => {
    const verify = verifier();
    expect((await verify(await sign('es'))).ok).toBe(true);
    published.push(keys.get('next')?.jwk ?? {});
    expect([(await verify(await sign('next'))).ok, asked]).toEqual([false, 1]);
    now += JWKS_COOLDOWN_MS;
    expect([(await verify(await sign('next'))).ok, asked]).toEqual([true, 2]);
  });
  test('that were taken back count no more once they are looked at again', async () => {
    const verify = verifier();
    expect((await verify(await sign('es'))).ok).toBe(true);
    published = published.filter(({ kid }) => kid !== 'es');
    now += JWKS_FRESH_MS;
    expect((await verify(await sign('es'))).ok).toBe(false);
  });
  test('stay in use while their issuer is away, for a day', async () => {
    const verify = verifier();
    expect((await verify(await sign('es'))).ok).toBe(true);
    status = 503;
    now += JWKS_FRESH_MS;
    expect((await verify(await sign('es'))).ok).toBe(true);
    now += JWKS_STALE_MAX_MS;
    expect(await verify(await sign('es'))).toMatchObject({ error: { message: expect.stringMatching(/answers 503/) } });
  });
});
