import { readFile } from 'node:fs/promises';
import { err, ok, type Result } from '@sallyport/model';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { request } from 'undici';

/** The public keys of an issuer of our readers' tokens, from a file or a URL. */
export interface Jwks {
  /** For jose. Keys that are not known are looked for once more, but not more often than the cooldown. */
  readonly getKey: JWTVerifyGetKey;
  /** Why the newest look failed; undefined when it did not. Older keys stay in use meanwhile. */
  problem(): string | undefined;
}

export type JwksSource = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'url'; readonly url: URL };

export interface JwksOptions {
  /** Monotonic, milliseconds. */
  readonly now: () => number;
}

/** Keys are looked at again after this, since one may have been taken back; milliseconds. */
export const JWKS_FRESH_MS = 300_000;
/** Between two looks for a key that is not known: tokens with made-up keys must not become a storm on the issuer. */
export const JWKS_COOLDOWN_MS = 30_000;
/** Keys that cannot be looked at again are trusted no longer than this. */
export const JWKS_STALE_MAX_MS = 86_400_000;
const FETCH_MS = 5_000;
const BYTES_MAX = 262_144;

export function createJwks(source: JwksSource, { now }: JwksOptions): Jwks {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let takenAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    lookedAt = now();
    const read = source.kind === 'file' ? await fromFile(source.path) : await fromUrl(source.url);
    const set = read.ok ? setIn(read.value) : read;
    problem = set.ok ? undefined : set.error;
    if (!set.ok) return;
    keys = set.value;
    takenAt = now();
  }

  /** Calls that come while somebody looks wait for the same look. */
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  const mayLook = (): boolean => now() - lookedAt >= JWKS_COOLDOWN_MS;

  return {
    problem: () => problem,
    async getKey(header, token) {
      const isFresh = now() - takenAt < JWKS_FRESH_MS;
      if (!isFresh && (looking !== undefined || mayLook())) await lookOnce();
      if (keys !== undefined && now() - takenAt < JWKS_STALE_MAX_MS) {
        try {
          return await keys(header, token);
        } catch (error) {
          if (!mayLook()) throw error;
        }
        await lookOnce();
      }
      if (keys === undefined || now() - takenAt >= JWKS_STALE_MAX_MS) throw new Error(problem ?? 'no keys');
      return keys(header, token);
    },
  };
}

async function fromFile(path: string): Promise<Result<string, string>> {
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

async function fromUrl(url: URL): Promise<Result<string, string>> {
  try {
    const signal = AbortSignal.timeout(FETCH_MS);
    const { statusCode, body } = await request(url, { signal, headersTimeout: FETCH_MS, bodyTimeout: FETCH_MS });
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > BYTES_MAX) return err(`${url.href} sends more than ${BYTES_MAX} bytes`);
      parts.push(part);
    }
    // A redirect could lead to whoever answers there: the URL must be the right one.
    return statusCode === 200 ? ok(Buffer.concat(parts).toString('utf8')) : err(`${url.href} answers ${statusCode}`);
  } catch (error) {
    return err(`${url.href} cannot be reached (${(error as NodeJS.ErrnoException).code ?? (error as Error).name})`);
  }
}

function setIn(text: string): Result<ReturnType<typeof createLocalJWKSet>, string> {
  try {
    return ok(createLocalJWKSet(JSON.parse(text) as JSONWebKeySet));
  } catch {
    return err('it is no JSON Web Key Set');
  }
}
