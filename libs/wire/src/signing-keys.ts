import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@sallyport/model';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, type SignJWT } from 'jose';

/** Ed25519 and nothing else: a verifier that lets the token choose its algorithm can be talked into a weak one. */
export const ALGORITHM = 'EdDSA';
/** How often the directory is looked at; milliseconds. */
export const KEYS_REFRESH_MS = 5_000;
/** Keys that are looked at: a directory with more is the wrong one. */
const KEYS_MAX = 64;

interface Key {
  readonly kid: string;
  readonly verify: CryptoKey;
  /** Undefined: the file holds the public half only. */
  readonly sign: CryptoKey | undefined;
}

/**
 * The keys of a directory of JWK files (`*.jwk`), one Ed25519 key each. File names order them by age: the last one that
 * has a private half signs, all verify. Names and not file times, which differ between replicas of one Secret.
 */
export interface SigningKeys {
  /** Undefined: no key here has a private half. */
  sign(claims: SignJWT): Promise<string> | undefined;
  verifier(kid: string | undefined): CryptoKey | undefined;
  /** Why the directory as it is now is not used; undefined when it is. */
  problem(): string | undefined;
  close(): void;
}

/** Fails with one sentence for people. Later on, keys that cannot be read leave the old ones in use. */
export async function openSigningKeys(
  directory: string,
  refreshMs: number = KEYS_REFRESH_MS,
): Promise<Result<SigningKeys, string>> {
  const first = await readKeys(directory);
  if (!first.ok) return first;
  let keys = first.value;
  let problem: string | undefined;
  const timer = setInterval(() => {
    void readKeys(directory).then((next) => {
      if (next.ok) keys = next.value;
      problem = next.ok ? undefined : next.error;
    });
  }, refreshMs).unref();
  return ok({
    sign(claims) {
      const key = keys.findLast(({ sign }) => sign !== undefined);
      return key?.sign === undefined ? undefined : claims.setProtectedHeader({ alg: ALGORITHM, kid: key.kid }).sign(key.sign);
    },
    verifier: (kid) => keys.find((key) => key.kid === kid)?.verify,
    problem: () => problem,
    close: () => clearInterval(timer),
  });
}

/** Contents of a new key file; the public half alone is what only verifies. `kid` is its RFC 7638 thumbprint. */
export async function createSigningKey(): Promise<{ readonly privateJwk: string; readonly publicJwk: string }> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const named = async (key: CryptoKey): Promise<string> => {
    const jwk = await exportJWK(key);
    return `${JSON.stringify({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM })}\n`;
  };
  return { privateJwk: await named(privateKey), publicJwk: await named(publicKey) };
}

async function readKeys(directory: string): Promise<Result<readonly Key[], string>> {
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.jwk')).sort();
    if (names.length === 0) return err(`${directory} holds no *.jwk file`);
    if (names.length > KEYS_MAX) return err(`${directory} holds ${names.length} *.jwk files, at most ${KEYS_MAX} are taken`);
    const keys: Key[] = [];
    for (const name of names) {
      const key = await readKey(await readFile(join(directory, name), 'utf8'));
      if (key === undefined) return err(`${join(directory, name)} is not an Ed25519 key in JWK form`);
      keys.push(key);
    }
    return ok(keys);
  } catch (error) {
    return err(`${directory} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

async function readKey(text: string): Promise<Key | undefined> {
  try {
    const jwk = JSON.parse(text) as JWK;
    if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') return undefined;
    const kid = await calculateJwkThumbprint(jwk);
    const { d, ...half } = { ...jwk, alg: ALGORITHM };
    const verify = (await importJWK(half, ALGORITHM)) as CryptoKey;
    return {
      kid: jwk.kid ?? kid,
      verify,
      sign: d === undefined ? undefined : ((await importJWK({ ...half, d }, ALGORITHM)) as CryptoKey),
    };
  } catch {
    return undefined;
  }
}
