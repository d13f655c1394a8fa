import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryClaims, FenceOrder } from '@sallyport/authority';
import { createAuthority } from '@sallyport/pki';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signBoundaryToken, signFence, verifyBoundaryToken, verifyFence } from './boundary-token.ts';
import { signFenceAnswer, verifyFenceAnswer } from './fence-answer.ts';
import { createSigningKey, openSigningKeys, type SigningKeys } from './signing-keys.ts';
import { createTestAuthority, type TestAuthority } from './testing/certificates.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-boundary-keys-'));
const nonce = 'AAAAAAAAAAAAAAAAAAAAAA';
const where = { sandboxId: 'sb1', generation: 'g1', runtimeId: 'r0', nonce };
const claims = {
  ...where,
  ownerEpoch: 2n ** 60n,
  memberId: 'm0',
  mode: 'shared',
  ports: [8080, 65_535],
} as unknown as BoundaryClaims;
const order = { ...where, epoch: 8n } as unknown as FenceOrder;
let keys: SigningKeys;
let strangers: SigningKeys;
let verifiers: SigningKeys;
let authority: TestAuthority;

async function keysOf(name: string, text: string): Promise<SigningKeys> {
  const folder = mkdtempSync(join(directory, name));
  writeFileSync(join(folder, '1.jwk'), text);
  const opened = await openSigningKeys(folder);
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

beforeAll(async () => {
  const key = await createSigningKey();
  keys = await keysOf('private', key.privateJwk);
  verifiers = await keysOf('public', key.publicJwk);
  strangers = await keysOf('stranger', (await createSigningKey()).privateJwk);
  authority = await createTestAuthority();
});
afterAll(() => {
  for (const each of [keys, verifiers, strangers]) each.close();
  authority.remove();
  rmSync(directory, { recursive: true });
});

test('a boundary token proves what was signed, to whoever has the public half', async () =>
  expect(await verifyBoundaryToken(verifiers, await signBoundaryToken(keys, claims))).toEqual({ ok: true, value: claims }));
test('a fence proves what was signed', async () =>
  expect(await verifyFence(verifiers, await signFence(keys, order))).toEqual({ ok: true, value: order }));
test('the public half signs nothing', () => expect(signFence(verifiers, order)).rejects.toThrow(/no key here can sign/));

describe('a token is refused', () => {
  const signed = (payload: Record<string, unknown>, audience = 'sallyport-boundary'): Promise<string> =>
    keys.sign(new SignJWT(payload).setIssuer('sallyport').setAudience(audience).setSubject('sb1')) as Promise<string>;
  const good = { generation: 'g1', runtime: 'r0', epoch: '7', member: 'm0', nonce, mode: 'shared', ports: [8080] };
  const rows: [title: string, token: () => Promise<string>][] = [
    ['when another key signed it', () => signBoundaryToken(strangers, claims)],
    ['when it is a fence', () => signFence(keys, order)],
    ['when it is no token', async () => 'x'.repeat(300)],
    ['when it is longer than any', async () => 'x'.repeat(9_000)],
    ['without a member', () => signed({ ...good, member: undefined })],
    ['with an epoch that is a number', () => signed({ ...good, epoch: 7 })],
    ['with an epoch of nothing', () => signed({ ...good, epoch: '0' })],
    ['with a mode that is none', () => signed({ ...good, mode: 'both' })],
    ['with ports that are words', () => signed({ ...good, ports: ['8080'] })],
    ['with a port that is none', () => signed({ ...good, ports: [0] })],
    ['with more ports than any sandbox has', () => signed({ ...good, ports: Array.from({ length: 1_025 }, () => 80) })],
    ['with a nonce that is none', () => signed({ ...good, nonce: 'abc' })],
    ['for another audience', () => signed(good, 'sallyport-supervisor')],
  ];
  test.each(rows)('%s', async (_title, token) => expect((await verifyBoundaryToken(verifiers, await token())).ok).toBe(false));
  test('a boundary token is no fence', async () =>
    expect((await verifyFence(verifiers, await signBoundaryToken(keys, claims))).ok).toBe(false));
});

describe("a boundary's answer to a fence", () => {
  const trustDomain = 'acme.test';
  const named = (path: string) => ({ uris: [`spiffe://${trustDomain}/${path}`] });
  const materialOf = async (from: TestAuthority, path: string) => {
    const files = await from.issue(`boundary-${path.replaceAll('/', '-')}`, named(path));
    return { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
  };
  const judge = (answer: Uint8Array, changes: Partial<FenceOrder> = {}, now = new Date()) =>
    verifyFenceAnswer(answer, { ...order, ...changes }, { ca: readFileSync(authority.caFile), trustDomain, now });

  test('is believed from the boundary of that runtime', async () =>
    expect(await judge(await signFenceAnswer(await materialOf(authority, 'boundary/r0'), order))).toEqual({
      ok: true,
      value: undefined,
    }));

  type Row = [title: string, answer: () => Promise<Uint8Array>, asked?: Partial<FenceOrder>, now?: Date];
  const by = async (path: string, said: Partial<FenceOrder> = {}): Promise<Uint8Array> =>
    signFenceAnswer(await materialOf(authority, path), { ...order, ...said });
  const rows: Row[] = [
    ['T17: not from the boundary of another life of the workload', () => by('boundary/r1')],
    ['T17: not from another life that says it is the right one', () => by('boundary/r1', { runtimeId: 'r0' as never })],
    ['not from a supervisor', () => by('supervisor/r0')],
    ['not about another runtime', () => by('boundary/r0', { runtimeId: 'r1' as never })],
    ['not about another epoch', () => by('boundary/r0', { epoch: 7n as never })],
    ['not about another sandbox', () => by('boundary/r0', { sandboxId: 'sb2' as never })],
    ['not to another question', () => by('boundary/r0', { nonce: 'BBBBBBBBBBBBBBBBBBBBBB' as never })],
    ['not under a certificate that has run out', () => by('boundary/r0'), {}, new Date(Date.now() + 40 * 86_400_000)],
    [
      'not under the CA of a stranger',
      async () => {
        const stranger = await createTestAuthority();
        const answer = await signFenceAnswer(await materialOf(stranger, 'boundary/r0'), order);
        stranger.remove();
        return answer;
      },
    ],
    [
      'not signed by another key than the certificate shown',
      async () => {
        const [shown, signer] = [await materialOf(authority, 'boundary/r0'), await materialOf(authority, 'boundary/r9')];
        return signFenceAnswer({ cert: shown.cert, key: signer.key }, order);
      },
    ],
    [
      'not of another installation',
      async () => {
        const { cert, key } = await materialOf(authority, 'boundary/r0');
        const other = await createAuthority({ commonName: 'other', days: 1, now: new Date() });
        const leaf = await other.issue({
          uris: ['spiffe://other.test/boundary/r0'],
          usages: ['client'],
          days: 1,
          now: new Date(),
        });
        return signFenceAnswer(
          { cert: Buffer.concat([Buffer.from(leaf.certPem), cert]), key: Buffer.from(leaf.keyPem) ?? key },
          order,
        );
      },
    ],
    ['not when it is nothing', async () => new Uint8Array()],
    ['not when it is noise', async () => Buffer.from('eyJ.a.b')],
  ];
  test.each(rows)('is not believed: %s', async (_title, answer, asked, now) =>
    expect((await judge(await answer(), asked, now)).ok).toBe(false),
  );
});
